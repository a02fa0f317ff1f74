const GOING_ON =
  '(?:pending|queued|starting|in[ _-]?progress|not[ _-](?:yet[ _-])?(?:ready|started|finished|complete|completed|available))';
/** What a result says of what is under way: all that it says, the value of a field, or words that say nothing else. */
const UNDER_WAY = new RegExp(
  [
    `^\\W*(?:${GOING_ON}|running|waiting|loading|building|processing)\\W*$`,
    `(?:status|state|phase|conclusion|health)["'\\\\]*\\s?[:=>]\\s?["'\\\\]*(?:\\w*${GOING_ON}|(?!(?:fail|miss|warn)ing)\\w+ing\\b)`,
    '\\b(?:is|are|still|currently)(?: still| currently)? (?:running|waiting|sleeping|loading|building|processing|working|being)\\b',
    `(?<![a-z])(?:${GOING_ON}|no new (?:output|messages)|check back|try again later|ContainerCreating|PodInitializing)\\b`,
    '\\b(?:loading|processing|please wait)\\b ?(?:\\.{2,}|…)',
    '^\\W*(?:still )?(?!(?:fail|miss|warn|noth|str)ing)[a-z]{2,20}ing\\W*$',
    '"(?:done|ready|finished|completed?)"\\s?:\\s?false',
  ].join('|'),
  'i',
);
/** A long text that speaks of something under way is not about what one waits for. */
const UNDER_WAY_UNITS = 300;
/** Stands for a picture that was not recorded: whether it is another one than before is not known. */
const LEFT_OUT =
  /^\W*(?:image|screenshot|picture|binary|base64)(?:[ _-]?(?:data|content|output))?(?: (?:omitted|removed|elided|truncated|taken)\b.{0,40})?\W*$/i;

/** Whether a result says that something is still under way, or stands for what was not recorded. */
export function isUnderWay(text: string): boolean {
  return text.length <= UNDER_WAY_UNITS && (UNDER_WAY.test(text) || LEFT_OUT.test(text));
}
