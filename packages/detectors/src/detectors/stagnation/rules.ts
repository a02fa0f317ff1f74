import type { CallHistory } from '../../calls/call-history.ts';
import type { NormalizedResult } from '../../calls/normalize-result.ts';
import { numbersMoveOn } from '../../calls/sameness.ts';
import {
  type CallStep,
  changesSomething,
  errorOf,
  isAlikeStep,
  isPollingStep,
  isSameError,
  isVaried,
  movesTowards,
  type PastCall,
  pollingAdjustments,
  pollingPatience,
  soleToolOf,
} from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import { counted, namesOf, quotedResult, quotedStep, sentence } from '../../incident/shown-calls.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';
import { haveSameAnswer, turnsPages } from './rephrased-query.ts';

/** Reading steps allowed between two failures of one tool. */
const LOOKS_BETWEEN = 2;

/** Consecutive steps fail with the same error, whatever is called. */
export const sameError: StagnationRule = (calls, context) => {
  const { rounds, settled } = calls;
  const error = errorOf(settled);
  if (error === null) return null;
  let count = 0;
  while (count < rounds.length && isSameError(errorOf(rounds[rounds.length - 1 - count]), error)) count += 1;
  const steps = rounds.slice(-count);
  const threshold = context.options.sameError * pollingPatience(steps.slice(-1));
  if (count < threshold || !isVaried(steps)) return rejectedAgain(rounds, settled, context);
  const tools = new Set(steps.flatMap((step) => step.calls.map(({ identity }) => identity.name)));
  const result = quotedResult(settled.calls[0], context.knowledge.agents);
  const wording =
    tools.size === 1
      ? sentence`${[...tools].join('')} failed ${counted(count)} times in a row with the same error, regardless of its arguments${result}`
      : sentence`the last ${counted(count)} steps, calls of ${tools.size} tools, all failed with the same error${result}`;
  const thresholdOf = {
    setting: 'stagnation.same_error',
    value: context.options.sameError,
    adjustments: pollingAdjustments([settled], context.knowledge),
  };
  return { rule: 'same-error', steps, count, threshold, thresholdOf, ...wording };
};

/** One tool fails for the same reason, whatever is tried, with only reading steps in between. */
function rejectedAgain(
  rounds: readonly CallStep[],
  settled: CallStep,
  { options, knowledge }: RuleContext,
): RuleMatch | null {
  const { agents } = knowledge;
  const tool = soleToolOf(settled);
  if (tool === undefined) return null;
  const changes = settled.calls.some(({ nature }) => nature.changes);
  const value = changes ? options.sameFailure : options.sameError;
  const head = errorHeadOf(settled) ?? refusalOf(settled);
  const base = value * pollingPatience([settled]);
  const alike =
    head === null ? [] : failuresOf(rounds, tool, (step) => (errorHeadOf(step) ?? refusalOf(step)) === head);
  const opening = rejectionOf(settled);
  const rejected =
    opening === null || alike.length >= base
      ? []
      : failuresOf(rounds, tool, (step) => rejectionOf(step) === opening);
  // Rejections whose detail differs are found later, but not much if the details come again.
  const details = new Set(rejected.map((step) => errorHeadOf(step)));
  const isKnown = details.size * 2 <= rejected.length;
  const steps = alike.length >= base ? alike : rejected;
  const threshold = steps === alike || isKnown ? base : base * 2;
  const count = steps.length;
  if (count < threshold || !isVaried(steps) || headsMoveOn(steps)) return null;
  return {
    rule: 'same-error',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: changes ? 'stagnation.same_failure' : 'stagnation.same_error',
      value,
      adjustments: pollingAdjustments([settled], knowledge),
    },
    ...sentence`${tool} failed ${counted(count)} times with the same error regardless of its arguments, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
}

/** Whether a number in the heads of these errors moves towards something, such as a count of problems. */
function headsMoveOn(steps: readonly CallStep[]): boolean {
  const opening = ({ calls }: CallStep) => calls[0]?.result?.shown.slice(0, OPENING_UNITS) ?? '';
  return (
    numbersMoveOn(steps.map(({ calls }) => calls[0]?.result?.headNumbers ?? '')) ||
    numbersMoveOn(steps.map((step) => (opening(step).match(/\d+/g) ?? []).join(' ')))
  );
}

/** The latest failing steps of a tool, with few steps in between that change nothing. */
function failuresOf(
  rounds: readonly CallStep[],
  tool: string,
  isOne: (step: CallStep) => boolean,
): CallStep[] {
  const steps: CallStep[] = [];
  let between = 0;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    const isFailure = soleToolOf(step) === tool && step.kind === 'error';
    if (isFailure && isOne(step)) {
      steps.unshift(step);
      between = 0;
      continue;
    }
    between += 1;
    const isOther = soleToolOf(step) === tool && !step.calls.every(({ nature }) => nature.runs);
    if (isOther || between > LOOKS_BETWEEN || (changesSomething(step) && !onlyStages(step))) break;
  }
  return steps;
}

/** Staging files changes nothing that a refusal could depend on. */
function onlyStages({ calls }: CallStep): boolean {
  return calls.every(({ identity }) => /"git (?:-C \S+ )?add\b[^;&|]*"/.test(identity.arguments));
}

/** A longer output of a program is more than a refusal. */
const REFUSAL_UNITS = 160;

/** The one sentence by which a command is refused; `null` for other failures. */
function refusalOf({ kind, calls }: CallStep): string | null {
  const [call] = calls;
  const { result } = call ?? {};
  if (kind !== 'error' || calls.length !== 1 || !result || result.failure === null) return null;
  return result.shown.length <= REFUSAL_UNITS && !result.shown.trim().includes('\n') ? result.form : null;
}

/** Units of a rejection that tell its kind; what follows is the detail. */
const OPENING_UNITS = 60;

/** How the rejection of an edit begins; `null` for other failures. */
function rejectionOf({ kind, calls }: CallStep): string | null {
  const [call] = calls;
  if (kind !== 'error' || calls.length !== 1 || call?.nature.edits !== true || call.nature.runs) return null;
  const shown = call.result?.shown ?? '';
  return shown.length <= OPENING_UNITS ? null : shown.slice(0, OPENING_UNITS).replace(/\d+/g, '#');
}

/** The error head shared by all calls of a step; `null` if they run programs, whose output may start with anything. */
function errorHeadOf(step: CallStep): string | null {
  const error = errorOf(step);
  const runsProgram = step.calls.some(({ nature }) => nature.runs && !nature.edits);
  return error === null || runsProgram ? null : error.head;
}

/** An error about the arguments; a program that takes none may fail for reasons that edits remove. */
const MISSES_ARGUMENTS =
  /\b(?:arguments?|param(?:eter)?s?|propert(?:y|ies)|field|input|schema|key|required?|requires|missing|must (?:be|have|provide)|expecting (?:value|property|a value)|unexpected end|json|valid(?:ation)?|invalid|undefined|null|empty)\b/i;

/** A call without its arguments fails again and again, between calls of the tool that have them. */
export const malformedCall: StagnationRule = ({ rounds, settled }, { options, knowledge: { agents } }) => {
  const [call] = settled.calls;
  if (settled.kind !== 'error' || settled.calls.length !== 1 || !call || !isEmpty(call)) return null;
  const ofTool = rounds.filter((step) => soleToolOf(step) === call.identity.name);
  const steps = ofTool.filter(
    (step) =>
      step.key === settled.key &&
      step.kind === 'error' &&
      isSameError(errorOf(step), call.result as NormalizedResult),
  );
  const count = steps.length;
  if (count < options.sameFailure || !ofTool.some(({ calls }) => calls.some((one) => !isEmpty(one))))
    return null;
  if (!MISSES_ARGUMENTS.test(call.result?.shown ?? '') || movesTowards(steps)) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold: options.sameFailure,
    thresholdOf: { setting: 'stagnation.same_failure', value: options.sameFailure },
    ...sentence`${call.identity.name} was called ${counted(count)} times without arguments and failed the same way each time${quotedResult(call, agents)}`,
  };
};

function isEmpty({ identity }: PastCall): boolean {
  return /^(?:|\{\}|null|"")$/.test(identity.arguments.trim());
}

/** The same call fails the same way, with other calls in between that changed nothing. */
export const sameFailure: StagnationRule = (
  { rounds, settled },
  { options, knowledge: { agents }, digests },
) => {
  if (settled.kind !== 'error' || digests.sameCalls() < options.sameFailure) return null;
  const steps: CallStep[] = [];
  let first = rounds.length;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    if (changesSomething(step)) break;
    // Waiting may resolve the failure.
    if (step.key !== settled.key && isPollingStep(step)) break;
    if (isAlikeStep(step, settled)) {
      steps.unshift(step);
      first = i;
    }
  }
  const count = steps.length;
  // Without other steps in between it is a plain repetition, which tool-repeat reports.
  // Errors that differ in random-looking tokens leave more doubt.
  const isAlike = steps.some(({ outcome }) => outcome !== settled.outcome);
  const threshold = options.sameFailure + (isAlike ? 1 : 0);
  if (count < threshold || rounds.length - first === count || (isAlike && movesTowards(steps))) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: 'stagnation.same_failure',
      value: options.sameFailure,
      adjustments: isAlike ? ['alike-results'] : [],
    },
    ...sentence`${quotedStep(settled)} failed the same way ${counted(count)} times, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
};

/** A shorter answer may be correct for many questions. */
const SHORT_UNITS = 60;
const SEARCHES = /grep|search|find|glob|query/i;

/**
 * The same question, rephrased each time, gets the same answer; only the wording of the call differs. Or one reading
 * tool gives the same answer to any question, which takes more repetitions to establish.
 */
export const sameAnswer: StagnationRule = (calls, context) => {
  const { settled } = calls;
  if (settled.kind === 'transient') return null;
  const rephrased = runOf(
    calls,
    (before, next) =>
      asksAgain(before, settled, context) || (next !== settled && asksAgain(before, next, context)),
  );
  const threshold = rephrasedThreshold(context.options);
  if (rephrased.length >= threshold && isVaried(rephrased))
    return match(rephrased, threshold, rephrasedBase(context.options), variation(rephrased), context);
  const answer = readAnswer(settled);
  if (answer === null) return null;
  const tool = soleToolOf(settled);
  const alike = runOf(calls, (before) => soleToolOf(before) === tool && readAnswer(before) === answer);
  const { sameAnswer: value } = context.options;
  const patience = patienceFor(settled);
  const needed = value * patience;
  if (alike.length < needed || !isVaried(alike)) return null;
  const base: ThresholdBase = {
    setting: 'stagnation.same_answer',
    value,
    adjustments: patience > 1 ? ['short-answer'] : [],
  };
  return match(alike, needed, base, 'regardless of what it was asked', context);
};

/**
 * Equal answers to a rephrased question leave less doubt than equal errors, as do equal messages, so the threshold is
 * lower.
 */
export function rephrasedThreshold({ sameError }: RuleContext['options']): number {
  return Math.max(2, sameError - 1);
}

/** The setting behind {@link rephrasedThreshold}. */
export function rephrasedBase({ sameError }: RuleContext['options']): ThresholdBase {
  return { setting: 'stagnation.same_error', value: sameError, adjustments: ['reworded'] };
}

/** The latest run of steps, each linked to the one after it. */
function runOf(
  { rounds, settled }: Pick<CallHistory, 'rounds'> & { readonly settled: CallStep },
  belongs: (before: CallStep, next: CallStep) => boolean,
): CallStep[] {
  let count = 1;
  for (let next = settled; count < rounds.length; count += 1) {
    const before = rounds[rounds.length - 1 - count] as CallStep;
    if (!belongs(before, next)) break;
    next = before;
  }
  return rounds.slice(-count);
}

function asksAgain(before: CallStep, settled: CallStep, { isOpen }: RuleContext): boolean {
  if (before.outcome === settled.outcome) return settled.outcome !== null;
  return haveSameAnswer(before, settled, isOpen);
}

/**
 * The answer shared by all calls of a step, if they only read and the answer is informative. An empty result counts
 * only for commands that do nothing: a search may legitimately find nothing.
 */
function readAnswer(step: CallStep): string | null {
  const { kind, calls } = step;
  const first = calls[0]?.result;
  if (kind !== 'ok' || !first || soleToolOf(step) === undefined || isPollingStep(step)) return null;
  const says = calls.every(({ nature: { runs, changes, reads, gui, idles } }) => {
    if (runs) return !changes && (idles || (!first.trivial && !first.empty));
    return reads && !gui && !first.trivial && !first.empty && !first.negative;
  });
  return says && calls.every(({ result }) => result?.form === first.form) ? first.form : null;
}

/** A short answer, such as a price or a state, may be correct for many questions, but a search returns what exists. */
function patienceFor({ calls }: CallStep): number {
  const isShort = calls.every(
    ({ identity, nature, result }) =>
      !nature.runs && !SEARCHES.test(identity.name) && (result?.shown.length ?? 0) < SHORT_UNITS,
  );
  return isShort ? 2 : 1;
}

/** Describes how the calls of the loop differ. */
function variation(steps: readonly CallStep[]): string {
  const [before, latest] = steps.slice(-2).map(({ calls }) => calls[0]?.identity);
  return before && latest && turnsPages(before, latest)
    ? 'regardless of the page'
    : 'to rephrasings of one query';
}

function match(
  steps: readonly CallStep[],
  threshold: number,
  thresholdOf: ThresholdBase,
  what: string,
  { knowledge: { agents } }: RuleContext,
): RuleMatch {
  const latest = steps.at(-1) as CallStep;
  const count = steps.length;
  return {
    rule: 'same-answer',
    steps,
    count,
    threshold,
    thresholdOf,
    ...sentence`${namesOf(latest)} returned the same answer ${counted(count)} times in a row ${what}${quotedResult(latest.calls[0], agents)}`,
  };
}
