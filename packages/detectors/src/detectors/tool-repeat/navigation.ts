import type { CallStep, PastCall } from '../../calls/step.ts';

/**
 * Threshold factor for steps of navigation whose results say nothing: a page is scrolled many times, and each time it
 * may show something else.
 */
const PATIENCE = 3;
/** Wordings by which an agent notes that its step had no effect. */
const STUCK =
  /(?:n['’]t|\bnot|\bnever|\bno longer)(?: \w+){0,2} (?:mov|chang|scroll|work|respond|react|load|updat|open|help|appear|advanc|progress)|\bno (?:visible )?(?:change|effect|response|movement|difference|reaction|progress)\b|\bnothing (?:\w+ ){0,2}(?:new|chang|happen|mov|different)|\bstill (?:\w+ ){0,2}(?:same|stuck|nothing|unchanged)\b|\bsame (?:page|view|content|screen|state|place|position|section|thing)\b|\bstuck\b|\bunchanged\b|\b(?:does|did|do|doing|has|had) (?:nothing|no effect)\b|\bwithout (?:any )?(?:effect|success|result)\b|\b(?:un|not )responsive\b|\bineffective\b|\bfroze|\bhangs?\b|\bfail(?:ed|s|ure)?\b|\bunable to (?:navigat|mov|scroll|chang|click|select|set)/i;

/** A second sentence of several words. */
const SAYS_MORE = /(?:[.!?]\s|\n)\S+ \S+ \S/;

/** How many of the latest `most` steps, which are equal, came after the agent last told of something new. */
export function stepsWithoutNews(rounds: readonly CallStep[], most: number): number {
  const latest = rounds.at(-1);
  if (latest === undefined || !showsNothing(latest)) return most;
  const run = rounds.slice(-Math.min(most, rounds.length));
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
  if (latest === undefined || !showsNothing(latest)) return 1;
  return steps.slice(1).every(({ remark }) => STUCK.test(remark)) ? 1 : PATIENCE;
}

/** Whether it is unknown what a step of navigation led to: only the agent's text can tell of something new. */
function showsNothing(step: CallStep): boolean {
  return isNavigation(step) && (step.outcome === null || step.calls.every(({ result }) => isReceipt(result)));
}

/** Whether a result says no more than that the step was taken. */
function isReceipt(result: PastCall['result']): boolean {
  return result === null || (result.bare && !SAYS_MORE.test(result.shown));
}

export function isNavigation({ calls }: CallStep): boolean {
  return calls.every(({ nature }) => nature.navigates);
}
