import type { PastCall, Round } from './call-history.ts';

/** Asking again is what there is to do while one waits: it gets this many times the patience. */
const PATIENCE = 3;

const GOING_ON =
  '(?:pending|queued|starting|in[ _-]?progress|not[ _-](?:yet[ _-])?(?:ready|started|finished|complete|completed|available))';
/** What a result says of what is under way: all that it says, the value of a field, or words that say nothing else. */
const UNDER_WAY = new RegExp(
  [
    `^\\W*(?:${GOING_ON}|running|waiting|loading|building|processing)\\W*$`,
    `(?:status|state|phase|conclusion|health)["'\\\\]*\\s?[:=>]\\s?["'\\\\]*(?:\\w*${GOING_ON}|(?!(?:fail|miss|warn)ing)\\w+ing\\b)`,
    '\\b(?:is|are|still|currently)(?: still| currently)? (?:running|waiting|sleeping|loading|building|processing|working|being)\\b',
    `\\b(?:${GOING_ON}|no new (?:output|messages)|check back|try again later|ContainerCreating|PodInitializing)\\b`,
    '\\b(?:loading|processing|please wait)\\b ?(?:\\.{2,}|…)',
  ].join('|'),
  'i',
);
/** A long text that speaks of something under way is not about what one waits for. */
const UNDER_WAY_UNITS = 300;
/** Stands for a picture that was not recorded: whether it is another one than before, nobody knows. */
const LEFT_OUT =
  /^\W*(?:image|screenshot|picture|binary|base64)(?:[ _-]?(?:data|content|output))?(?: (?:omitted|removed|elided|truncated|taken))?\W*$/i;

/** How many times the usual patience it takes where one of these steps is for waiting. */
export function patienceWith(rounds: readonly Round[]): number {
  return rounds.some(isForWaiting) ? PATIENCE : 1;
}

/** Whether the step does nothing but let time pass, or ask for what is still under way. */
export function isForWaiting({ calls }: Round): boolean {
  return calls.every(waits);
}

/** Whether the call may well have to be made again. */
export function waits({ nature, result }: PastCall): boolean {
  if (nature.waits !== null) return nature.waits;
  if (result === null || result.kind !== 'ok') return false;
  const { shown } = result;
  return shown.length <= UNDER_WAY_UNITS && (UNDER_WAY.test(shown) || LEFT_OUT.test(shown));
}
