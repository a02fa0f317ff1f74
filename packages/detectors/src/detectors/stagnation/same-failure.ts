import { isPollingStep, pollingAdjustments, pollingPatience } from '../../calls/polling.ts';
import { errorOf, isAlikeCall, isAlikeStep, isSameError, movesTowards } from '../../calls/same-step.ts';
import {
  type CallStep,
  changesSomething,
  isVaried,
  mayChange,
  type PastCall,
  soleToolOf,
} from '../../calls/step.ts';
import { MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import { counted, quotedResult, quotedStep, sentence } from '../../incident/shown-calls.ts';
import type { NormalizedResult } from '../../results/normalize-result.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';

/** An error about the arguments; a program that takes none may fail for reasons that edits remove. */
const MISSES_ARGUMENTS =
  /\b(?:argument|param|propert|field|input|schema|key\b|required?\b|requires|missing|must (?:be|have|provide)|expecting (?:value|property|a value)|unexpected end|json|(?:in)?valid|undefined|null|empty)/i;

/** An error that means the arguments of the call itself, unless the call runs a program, which has arguments too. */
const LACKS_ARGUMENT =
  /\b(?:missing|lacks?|without)\b.{0,40}\b(?:argument|param)|(?:required|mandatory) (?:positional )?(?:argument|param|property)|(?:argument|param|input).{0,40} (?:is|are|must be) (?:a )?(?:required|missing|provided|mandatory)/i;

/** An error that means that the arguments of the call itself are not as its tool expects them. */
const UNFIT_ARGUMENTS =
  /\binvalid params:|\bmalformed (?:tool|function)\b|\b(?:input|argument|param(?:eter)?)s? validation (?:failed|error)|\binvalid (?:input|arguments?|param(?:eter)?s?|schema) (?:for|to|of) (?:the )?(?:tool|function|method)\b|\btype validation failed\b|\bvalidation errors? for (?:call\[|\w*(?:arg|input|param|schema))|\b(?:not|n['’]t) match (?:the |its )?(?:expected |input |tool |parameter )+schema|\b(?:pars|decod|deserializ|malformed|unterminated|invalid json).{0,30}\b(?:tool|function|call)['’s]{0,2} (?:call )?(?:arguments?|param(?:eter)?s?|input)\b/i;

/**
 * A call without its arguments, or one with arguments that its tool cannot take, fails again and again between other
 * calls, which cannot mend it.
 */
export const malformedCall: StagnationRule = ({ rounds, settled }, { options, knowledge: { agents } }) => {
  const [call] = settled.calls;
  if (settled.kind !== 'error' || settled.calls.length !== 1 || !call) return null;
  const shown = call.result?.shown ?? '';
  const lacksArgument = !call.nature.runs && LACKS_ARGUMENT.test(shown);
  const isUnfit = lacksArgument || (!call.nature.runs && UNFIT_ARGUMENTS.test(shown)) || isCutOff(call);
  if (!isUnfit && !isEmpty(call)) return null;
  const ofTool = rounds.filter((step) => soleToolOf(step) === call.identity.name);
  const steps = ofTool.filter(
    (step) =>
      (isUnfit || step.key === settled.key) &&
      step.kind === 'error' &&
      isSameError(errorOf(step), call.result as NormalizedResult),
  );
  const count = steps.length;
  const works = ofTool.some(({ calls }) => calls.some((one) => !isEmpty(one)));
  const [setting, value] = isVaried(steps)
    ? (['stagnation.same_error', options.sameError] as const)
    : (['stagnation.same_failure', options.sameFailure] as const);
  if (count < value || !(isUnfit || works)) return null;
  if (!MISSES_ARGUMENTS.test(shown) || movesTowards(steps)) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold: value,
    thresholdOf: { setting, value },
    ...sentence`${call.identity.name} was called ${counted(count)} times ${isEmpty(call) ? 'without arguments' : lacksArgument ? 'with an argument missing' : 'with invalid arguments'} and failed the same way each time${quotedResult(call, agents)}`,
  };
};

function isEmpty({ identity }: PastCall): boolean {
  return /^(?:|\{\}|null|"")$/.test(identity.arguments.trim());
}

/** Whether the arguments end before their JSON does. */
function isCutOff({ identity: { arguments: said, digest } }: PastCall): boolean {
  return digest === undefined && /^\{[^]*[^}]$/.test(said);
}

/** The same call fails the same way, with other calls in between or beside it that changed nothing. */
export const sameFailure: StagnationRule = (calls, context) => {
  const { settled } = calls;
  let match = settled.kind === 'error' ? failedAgain(calls, context) : null;
  if (settled.calls.length > 1)
    for (const call of settled.calls)
      if (call.result?.kind === 'error') match ??= failedAgain(calls, context, call);
  return match;
};

/** @param only the call that failed, if others of its step did not */
function failedAgain(
  { rounds, settled }: Parameters<StagnationRule>[0],
  { options, knowledge, digests }: RuleContext,
  only?: PastCall,
): RuleMatch | null {
  if (digests.sameCalls() < options.sameFailure) return null;
  const failing = only ?? settled.calls[0];
  const steps: CallStep[] = [];
  let first = rounds.length;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    if (only === undefined ? changesSomething(step) : step.calls.some(isChange)) break;
    // Waiting may resolve the failure.
    if (step.key !== settled.key && isPollingStep(step)) break;
    const isSame =
      only === undefined ? isAlikeStep(step, settled) : step.calls.some((call) => isAlikeCall(call, only));
    if (isSame) {
      steps.unshift(step);
      first = i;
    }
  }
  const count = steps.length;
  const outcomes = steps.map((step) => (only === undefined ? step.outcome : formOf(step, only)));
  const isAlike = outcomes.some((outcome) => outcome !== outcomes.at(-1));
  const threshold = (options.sameFailure + (isAlike ? MORE_IF_ALIKE : 0)) * pollingPatience([settled], steps);
  // Without other calls in between or beside, it is a plain repetition, which tool-repeat reports.
  const isPlain = rounds.length - first === count && steps.every(({ key }) => key === settled.key);
  if (count < threshold || isPlain || (isAlike && movesTowards(steps))) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: 'stagnation.same_failure',
      value: options.sameFailure,
      adjustments: isAlike ? ['alike-results'] : pollingAdjustments([settled], knowledge),
    },
    ...sentence`${quotedStep(only === undefined ? settled : { ...settled, calls: [only] })} failed the same way ${counted(count)} times with no change in between${quotedResult(failing, knowledge.agents)}`,
  };
}

function isChange(call: PastCall): boolean {
  return mayChange(call) && call.result?.kind === 'ok';
}

function formOf({ calls }: CallStep, { key }: PastCall): string | undefined {
  return calls.find((call) => call.key === key)?.result?.form;
}
