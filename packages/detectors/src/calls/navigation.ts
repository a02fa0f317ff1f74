import { isPollingStep } from './polling.ts';
import type { CallStep, PastCall } from './step.ts';
import { handsOver } from './tool-words.ts';

/**
 * Threshold factor for steps of navigation whose results say nothing: a page is scrolled many times, and each time it
 * may show something else.
 */
const PATIENCE = 3;
/** Wordings by which an agent notes that its step had no effect. */
const STUCK =
  /(?:n['’]t|\bnot|\bnever|\bno longer)(?: \w+){0,2} (?:mov|chang|scroll|work|respon|react|load|updat|open|help|appear|advanc|progress)|\bno (?:visible )?(?:change|effect|response|movement|difference|reaction|progress)\b|\bnothing (?:\w+ ){0,2}(?:new|chang|happen|mov|different)|\bstill (?:\w+ ){0,2}(?:same|nothing)\b|\bsame (?:page|view|content|screen|state|place|position|section|thing)\b|\bstuck\b|\bunchanged\b|\b(?:does|did|do|doing|has|had) nothing\b|\bwithout (?:any )?(?:effect|success|result)\b|\bunresponsive|\bineffective|\bfroze|\bhangs?\b|\bfail|\bunable to/i;

/** A second sentence of several words. */
const SAYS_MORE = /(?:[.!?]\s|\n)\S+ \S+ \S/;

/** Says only that the step was taken. */
const TAKEN =
  /^(?!.*\b(?:no|not|nothing|already|fail\w*|0)\b)[^\n]{0,40}\b(?:(?:swip|scroll|click|tapp|press|flick|dragg|turn|flipp|zoom|pann|pinch|rotat|mov|jump|stepp|skipp|advanc|forward|increas|decreas|increment|decrement|dispatch|perform|execut|complet|expand|chang|load|accept|walk)ed|(?:un|re)?done|sent|flung|slid|spun|rewound|went)\b.{0,60}$/i;
/** The code that was run. */
const CODE = /\bran (?:\w+ )?code:?\s*```[^`]*```/i;
/** Says that there is no value. */
const NO_VALUE =
  /^(?:[^]{0,80}\b(?:undefined|null|none)[^\p{L}\d]*(?:console output[^\p{L}\d]*)?|[^\p{L}\d]*)$/iu;
/** A picture, or where one is. */
const PICTURE = /^[^]{0,80}(?:image|screenshot|picture|base64)/i;

/** How many of the latest `most` steps, which are equal, came after the agent last told of something new. */
export function stepsWithoutNews(rounds: readonly CallStep[], most: number): number {
  const latest = rounds.at(-1);
  if (latest === undefined || !showsNothing(latest)) return most;
  const run = rounds.slice(-most);
  for (let i = run.length - 1; i > 0; i -= 1) {
    const { remark } = run[i] as CallStep;
    const isNew =
      remark !== '' && !STUCK.test(remark) && run.slice(0, i).every((one) => one.remark !== remark);
    if (isNew) return run.length - i;
  }
  return most;
}

/** The factor by which the threshold rises for these equal steps, none of which told of something new. */
export function navigationPatience(steps: readonly CallStep[]): number {
  const latest = steps.at(-1);
  // Where a picture is missing, there is patience already.
  if (latest === undefined || !showsNothing(latest) || isPollingStep(latest)) return 1;
  return steps.slice(1).every(({ remark }) => STUCK.test(remark)) ? 1 : PATIENCE;
}

/** Whether the agent told of something new in steps of which no result does. */
export function tellsNews(steps: readonly CallStep[]): boolean {
  const moves = steps.filter(isNavigation);
  return steps.every(isBlind) && stepsWithoutNews(moves, moves.length) < moves.length;
}

/** Whether it is unknown what a step of navigation led to: only the agent's text can tell of something new. */
function showsNothing(step: CallStep): boolean {
  return isNavigation(step) && isBlind(step);
}

function isBlind({ outcome, calls }: CallStep): boolean {
  return outcome === null || calls.every(({ result }) => isReceipt(result));
}

/** Whether a result says no more than that the step was taken, or shows it in a picture. */
export function isReceipt(result: PastCall['result']): boolean {
  if (result === null) return true;
  const { bare, shown, kind } = result;
  if (kind === 'ok' && NO_VALUE.test(shown.replace(CODE, ''))) return true;
  const isShort = bare || PICTURE.test(shown) || (kind === 'ok' && TAKEN.test(shown));
  return isShort && !SAYS_MORE.test(shown);
}

/** A longer text before a handoff is work that was done in between. */
const WORK_UNITS = 200;

/** Whether work was done before a handoff, and not the same as before an earlier one. */
export function followsWork({ calls, remark }: CallStep, before?: CallStep): boolean {
  if (remark.length < WORK_UNITS || remark === before?.remark) return false;
  return calls.some(({ identity }) => handsOver(identity.name));
}

export function isNavigation({ calls }: CallStep): boolean {
  return calls.some(({ nature }) => nature.navigates);
}
