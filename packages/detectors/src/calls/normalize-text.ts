import { collapseSpaces } from '../lib/white-space.ts';
import { Sign, signsOf } from './volatile-signs.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal color codes start with one.
const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_START = '\u001b[';

/** Patterns of volatile text, in their order: the sign without which they do not match, and the replacement. */
const VOLATILE: readonly (readonly [sign: number, pattern: RegExp, replacement: string])[] = [
  [Sign.date, /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    Sign.clock,
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  [Sign.clock, /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [Sign.uuid, /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [Sign.address, /\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  [Sign.duration, /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/g, '<duration>'],
  [Sign.process, /\b(pid|process(?: id)?|ppid|thread)(["']?\s*(?:[:=#]\s*)?)\d+/gi, '$1$2<pid>'],
  [
    Sign.id,
    /\b((?:request|trace|span|correlation|session|run|job|message)[ _-]?id|req)(["']?\s*(?:[:=#]\s*)?["']?)[\w-]{4,}/gi,
    '$1$2<id>',
  ],
  [
    Sign.timeField,
    /("(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\s*:\s*)\d+(?:\.\d+)?/gi,
    '$1<time>',
  ],
  [Sign.epoch, /\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [Sign.temporary, /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  [Sign.attempt, /\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  [Sign.attempts, /\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: upper-case and lower-case letters with digits.
  [
    Sign.token,
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
];

/** A result with its volatile parts replaced. */
export function normalizeText(text: string): string {
  // Colors come first: text that they interrupt may show a sign only without them.
  let normal = text.includes(COLOR_START) ? text.replace(COLOR, '') : text;
  const signs = signsOf(normal);
  if (signs !== 0) {
    for (const [needed, pattern, replacement] of VOLATILE)
      if ((signs & needed) !== 0) normal = normal.replace(pattern, replacement);
  }
  return collapseSpaces(normal);
}
