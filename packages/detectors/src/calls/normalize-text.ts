import { collapseSpaces } from '../lib/white-space.ts';
import { bitsOf, DURATION, ID, PROCESS, type SignName, signsIn, TIME_FIELD } from './volatile-signs.ts';

const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_START = '\u001b[';

/** What follows the name of an id. */
const ID_VALUE = '(["\']?\\s*(?:[:=#]\\s*)?["\']?)[\\w-]{4,}';

/** Patterns of volatile text in the order in which they are applied, each with its sign and its replacement. */
const VOLATILE: readonly (readonly [sign: SignName, pattern: RegExp, replacement: string])[] = [
  ['date', /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    'clock',
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  ['clock', /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  ['address', /\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  ['duration', new RegExp(`\\b\\d+(?:\\.\\d+)?${DURATION}`, 'g'), '<duration>'],
  ['process', new RegExp(`\\b${PROCESS}\\d+`, 'gi'), '$1$2<pid>'],
  ['id', new RegExp(`\\b(${ID}|req)${ID_VALUE}`, 'gi'), '$1$2<id>'],
  ['req', new RegExp(`\\b(req)${ID_VALUE}`, 'gi'), '$1$2<id>'],
  ['field', new RegExp(`(${TIME_FIELD})\\d+(?:\\.\\d+)?`, 'gi'), '$1<time>'],
  ['epoch', /\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  ['temporary', /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  ['attempt', /\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  ['tries', /\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: upper-case and lower-case letters with digits.
  [
    'token',
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
];

const STEPS = VOLATILE.map(([sign, pattern, replacement]) => ({ bits: bitsOf(sign), pattern, replacement }));
const ANY_ID = bitsOf('id');
const REQ = bitsOf('req');

/** A result with its volatile parts replaced. */
export function normalizeText(text: string): string {
  // Colors come first: text that they interrupt may show a sign only without them.
  let normal = text.includes(COLOR_START) ? text.replace(COLOR, '') : text;
  let signs = signsIn(normal);
  // The pattern of all ids includes `req`, which is often the only one, and alone takes a third of the time.
  if ((signs & ANY_ID) !== 0) signs &= ~REQ;
  for (const { bits, pattern, replacement } of STEPS)
    if ((signs & bits) !== 0) normal = normal.replace(pattern, replacement);
  return collapseSpaces(normal);
}
