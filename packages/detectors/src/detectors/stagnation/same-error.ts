import { pollingAdjustments, pollingPatience } from '../../calls/polling.ts';
import { errorOf, isSameError } from '../../calls/same-step.ts';
import { type CallStep, changesSomething, isVaried, mayChange, soleToolOf } from '../../calls/step.ts';
import { counted, quotedResult, sentence } from '../../incident/shown-calls.ts';
import { errorsMoveOn } from '../../results/error-tokens.ts';
import { normalizeText } from '../../results/lex-result.ts';
import { checksTargets } from './known-answers.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';

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
  if (count < threshold || !isVaried(steps) || getsFurther(steps))
    return rejectedAgain(rounds, settled, context);
  const tools = new Set(steps.flatMap((step) => step.calls.map(({ identity }) => identity.name)));
  const result = quotedResult(settled.calls[0], context.knowledge.agents);
  const wording =
    tools.size === 1
      ? sentence`${[...tools].join('')} failed ${counted(count)} times in a row with the same error, regardless of its arguments${result}`
      : sentence`The last ${counted(count)} steps, which called ${tools.size} tools, all failed with the same error${result}`;
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
  const base = value * pollingPatience([settled]);
  const alikeBy = (headOf: (step: CallStep) => string | null) => {
    const head = headOf(settled);
    return head === null ? [] : failuresOf(rounds, tool, (step) => headOf(step) === head);
  };
  let alike = alikeBy((step) => errorHeadOf(step) ?? refusalOf(step, 'form'));
  // A refusal may quote the command. Commands that look around find different files missing.
  if (changes && alike.length < base) alike = alikeBy((step) => errorHeadOf(step) ?? refusalOf(step, 'gist'));
  if (alike.length < base) alike = alikeBy(deniedWords);
  const opening = rejectionOf(settled);
  const rejectedBy = (isOne: (opening: string) => boolean) =>
    failuresOf(rounds, tool, (step) => isOne(rejectionOf(step) ?? ''));
  // Rejections whose detail differs are found later, but not much if the details come again.
  const areKnown = (steps: readonly CallStep[], each: number) =>
    new Set(steps.map((step) => errorHeadOf(step))).size * each <= steps.length;
  let steps = alike;
  let threshold = base;
  if (alike.length < base && opening !== null) {
    steps = rejectedBy((one) => one === opening);
    threshold = areKnown(steps, 2) ? base : base * 2;
    // Two or three reasons may take turns.
    const any = steps.length < threshold ? rejectedBy((one) => one !== '') : [];
    if (any.length >= base * 2 && areKnown(any, 3)) [steps, threshold] = [any, base * 2];
  }
  const count = steps.length;
  if (count < threshold || !isVaried(steps) || getsFurther(steps)) return null;
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
    ...sentence`${tool} failed ${counted(count)} times with the same error regardless of its arguments and with no change in between${quotedResult(settled.calls[0], agents)}`,
  };
}

/** Whether failures with the same error come further: in a number, in their input, or in a list of targets to check. */
export function getsFurther(steps: readonly CallStep[]): boolean {
  if (steps.at(-1)?.kind !== 'error') return false;
  return errorsMoveOn(steps.flatMap(({ calls }) => calls[0]?.result ?? [])) || checksTargets(steps);
}

/** The latest failing steps of a tool, with few steps in between that change nothing. */
function failuresOf(
  rounds: readonly CallStep[],
  tool: string,
  isOne: (step: CallStep) => boolean,
): CallStep[] {
  const steps: CallStep[] = [];
  const changes = rounds.at(-1)?.calls.every(mayChange) === true;
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
    const isOther =
      soleToolOf(step) === tool &&
      !step.calls.every((call) => call.nature.runs || (changes && !mayChange(call)));
    if (isOther || between > LOOKS_BETWEEN || (changesSomething(step) && !onlyStages(step))) break;
  }
  return steps;
}

/** Staging files changes nothing that a refusal could depend on. */
function onlyStages({ calls }: CallStep): boolean {
  return calls.every(({ identity }) => /"git (?:-C \S+ )?add\b[^;&|]*"/.test(identity.arguments));
}

/** A longer output of a program is more than a refusal. */
const REFUSAL_UNITS = 240;
const REFUSAL_LINES = 3;
/** Words of a refusal, which may take this many times as much to explain. */
const REFUSES =
  /\b(?:rejected|declined|denied|refused|disabled|read-only|no space|forbidden|blocked|protected|not (?:allowed|permitted|authori[sz]ed))\b/i;
const EXPLAINED = 2;

/** The few words by which a command is refused; `null` for other failures. */
function refusalOf({ kind, calls }: CallStep, words: 'form' | 'gist'): string | null {
  const [call] = calls;
  const { result } = call ?? {};
  if (kind !== 'error' || calls.length !== 1 || !result || result.failure === null) return null;
  const { shown } = result;
  const times = REFUSES.test(shown) ? EXPLAINED : 1;
  const lines = shown.split('\n').filter((line) => line.trim() !== '').length;
  return shown.length <= REFUSAL_UNITS * times && lines <= REFUSAL_LINES * times ? result[words] : null;
}

/** The words by which a call is denied that are none of its own, such as what it would do with what; else `null`. */
function deniedWords(step: CallStep): string | null {
  const [call] = step.calls;
  const shown = call?.result?.shown ?? '';
  if (!REFUSES.test(shown) || refusalOf(step, 'form') === null) return null;
  const said = wordsIn(call?.identity.arguments ?? '');
  return wordsIn(normalizeText(shown))
    .filter((word) => !said.includes(word))
    .join(' ');
}

/** In lower case; `ListBuckets` has two. */
function wordsIn(text: string): string[] {
  return text.match(/\p{L}\p{Ll}*/gu)?.map((word) => word.toLowerCase()) ?? [];
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
