import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalizeText } from '../../src/calls/normalize-text.ts';

/** The plain definition: all patterns of volatile text, one after the other. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  [/\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/g, '<duration>'],
  [/\b(pid|process(?: id)?|ppid|thread)(["']?\s*(?:[:=#]\s*)?)\d+/gi, '$1$2<pid>'],
  [
    /\b((?:request|trace|span|correlation|session|run|job|message)[ _-]?id|req)(["']?\s*(?:[:=#]\s*)?["']?)[\w-]{4,}/gi,
    '$1$2<id>',
  ],
  [
    /("(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\s*:\s*)\d+(?:\.\d+)?/gi,
    '$1<time>',
  ],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  [/\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  [/\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: upper-case and lower-case letters with digits.
  [
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
  [/\s+/g, ' '],
];

function definition(text: string): string {
  let normal = text;
  for (const [pattern, replacement] of VOLATILE) normal = normal.replace(pattern, replacement);
  return normal.trim();
}

/** Complete matches, parts of them, and what may stand beside them. */
const pieces = [
  ...['\u001b[31m', '\u001b[', '0m', '\u001b'],
  ...[
    '2024-05-01',
    '2024-05-01T10:20',
    '2024-05-01 10:20:30.5',
    '12:30',
    ':45',
    ',5',
    'Z',
    '+02:00',
    'T',
    '2024',
    '-05',
    '-01',
  ],
  ...['Mon, 1 May 2024 ', 'Tuesday ', 'Wed May 1 ', '10:20:30', ' 2024', '7:08:09', '1:2:3'],
  ...[
    '0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f',
    'ABCDEFAB-ABCD-ABCD-ABCD-ABCDEFABCDEF',
    '0a1b2c3d',
    '-0a1b',
    '-0a1b2c3d4e5f',
  ],
  ...['0x', '0X7ffe', '0x7FFe12', 'x12ab', 'ffff'],
  ...[
    '5',
    '12',
    '3.25',
    'ns',
    'µs',
    'us',
    'ms',
    's',
    'secs',
    'sec',
    'seconds',
    'min',
    'minutes',
    'steps',
    ' s',
    'S',
  ],
  ...[
    'pid',
    'PID ',
    'process',
    'process id',
    'ppid=',
    'Thread-',
    'thread #',
    "pid': ",
    'pid" = ',
    'process\u00a0',
  ],
  ...[
    'request',
    'trace_',
    'Span-',
    'correlation ',
    'session',
    'run',
    'job',
    'message',
    'id',
    'ID',
    'req',
    'Req',
    'uired',
    'uest',
    'abcd',
    'ab-cd',
  ],
  ...[
    '"timestamp": ',
    '"ts":',
    '"created_at_ms" : ',
    '"Updated":',
    '"elapsed"',
    '"took_ms":',
    '"latency":',
    '"total": ',
    '"time',
    '"',
  ],
  ...['1712345678', '1712345678901', '17123456789', '301712345678', '1412345678'],
  ...[
    '/private',
    '/tmp',
    '/var/folders/a1/b_2/T',
    '/tmp/tmp',
    '/T/tmp',
    '/var/folders/a1/b_2/T/tmpq',
    'abc.txt',
    '/',
  ],
  ...[
    'attempt',
    'Attempts',
    'try',
    'retry',
    'entry',
    ' #',
    '-- ',
    ' attempts',
    ' tries',
    ' Retries',
    ' guesses',
    ' trial',
    '\u2014',
  ],
  ...[
    '?a=',
    '&b.c-d=',
    '?-x=',
    '?',
    '&',
    '=',
    'abcDEF0123456789abcDEF',
    'abcdef0123456789abcdef',
    '%2B~',
    'Aa1',
  ],
  ...[' ', '  ', '\n', '\t', '\r\n', '\u00a0', '\u2028', '\ufeff', ' \n '],
  ...[
    '<time>',
    '<',
    '>',
    '(',
    ')',
    '.',
    ',',
    ':',
    '#',
    '-',
    '_',
    'a',
    'Z',
    '0',
    '9',
    '\ud800',
    'é',
    '\u0130',
    '\u017f',
    '\u212a',
    '…',
  ],
];

it('gives the same result as applying the patterns one after another', () => {
  const text = fc.array(
    fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary-ascii', maxLength: 3 })),
    { maxLength: 24 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join('');
      expect(normalizeText(joined)).toBe(definition(joined));
    }),
    { seed: 60, numRuns: 20_000 },
  );
});

it('replaces every kind of volatile text anywhere in the text', () => {
  const kinds = [
    ['\u001b[31mred\u001b[0m', 'red'],
    ['2024-05-01T10:20:30Z', '<time>'],
    ['Mon, 1 May 2024 10:20:30', '<time>'],
    ['7:08:09', '<time>'],
    ['0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f', '<uuid>'],
    ['0x7ffe12', '<address>'],
    ['3.25 s', '<duration>'],
    ['process id: 7', 'process id: <pid>'],
    ['Request-ID = "ab12"', 'Request-ID = "<id>"'],
    ['"created_at" : 7.5', '"created_at" : <time>'],
    ['1712345678901', '<time>'],
    ['/private/tmp/tmpx1.txt', '<temporary>'],
    ['attempt #3', 'attempt #<n>'],
    ['3 guesses', '<n> guesses'],
    ['?t=abcDEF0123456789abcDEF', '?t=<token>'],
    ['a \n b', 'a b'],
  ] as const;
  for (const [text, normal] of kinds) {
    expect(normalizeText(text)).toBe(normal);
    expect(normalizeText(`before (${text}) after`)).toBe(`before (${normal}) after`);
  }
});
