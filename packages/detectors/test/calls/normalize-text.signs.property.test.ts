import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bitsOf, SIGNS, type SignName, signsIn } from '../../src/calls/normalize-text.ts';

/** The plain definition: each sign searched for by itself, at every place. */
const ANYWHERE = SIGNS.map(([name, , sign]) => ({
  name,
  sign: new RegExp(sign.source, sign.flags.replace('y', '')),
}));

function definition(text: string): number {
  return ANYWHERE.reduce((bits, { name, sign }) => (sign.test(text) ? bits | bitsOf(name) : bits), 0);
}

/** Signs, their parts, and what looks like them: other case, other white space, letters that fold to ASCII elsewhere. */
const pieces = [
  ...['2024-05-01', '4-05-01T10:20', '4-05-01 10:20', '-05-', '10:20:30', '1:2:3', ':20', ':'],
  ...['-0a1b-0A1b-0a1B-', '-0a1b', '-', '0x7ffe', '0X', '0x', '7f', 'ffff'],
  ...[
    '5',
    '12',
    '1612345678',
    '161234567',
    '1412345678',
    '9',
    ' ',
    '  ',
    '\n',
    '\t',
    '\u00a0',
    '\u3000',
    '\ufeff',
  ],
  ...['ns', 'µs', '\u03bcs', 'us', 'ms', 's', 'secs', 'seconds', 'min', 'minutes', 'S', 'n', '\u017f', 'é'],
  ...['pid', 'PID', 'process', 'Process ID', 'proce\u017fs', 'thread', 'ppid', '"', "'", '=', '#', ' # '],
  ...[
    'request',
    'trace',
    'span',
    'correlation',
    'session',
    'run',
    'job',
    'message',
    'id',
    'Id',
    '_id',
    '\u0131d',
  ],
  ...[
    'req',
    'REQ',
    're',
    'q',
    'equ',
    '"timestamp"',
    '"ts":',
    '"created_at_ms" : ',
    '"updated"',
    '"took',
    '"el',
  ],
  ...['"Duration":', '"latency":', '"time', '"date":', '/tmp', '/T', '/tmp/tmp', '/t', 'mp', '/TMP'],
  ...[
    'attempt',
    'Attempt ',
    'try',
    'retry',
    'TRY',
    ' attempts',
    ' tries',
    ' retries',
    ' guesses',
    ' Guesses',
    ' t',
  ],
  ...['?a=', '&b.c-d=', '?', '&', '=', 'abcDEF0123456789abcDEF', '%2B~', '\u2014', '\ud800', '\u212a', 'x'],
];

it('finds exactly the signs that are in a text', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary-ascii', maxLength: 2 })), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (any) => {
      expect(signsIn(any)).toBe(definition(any));
    }),
    { seed: 63, numRuns: 40_000 },
  );
});

/** One text per way in which a sign may start. */
const cases: readonly (readonly [SignName, readonly string[]])[] = [
  ['date', ['4-05-01T10:20', '4-05-01 10:20']],
  ['clock', ['0:20:30']],
  ['uuid', ['-0a1b-0A1B-ffff-']],
  ['address', ['0x12ab', '0XABCD']],
  [
    'duration',
    ['5s', '5ns', '5µs', '5us', '5ms', '5min', '5 s', '5 ns', '5\tms', '5\u00a0µs', '5\u3000secs'],
  ],
  [
    'process',
    ['pid7', 'PID 7', 'pid\u3000=7', 'pid"\n: 7', "pid'#7", 'process7', 'Process id: 7', 'thread 7'],
  ],
  [
    'id',
    ['request', 'trace', 'Span', 'correlation', 'session', 'run', 'job', 'MESSAGE'].flatMap((name) =>
      ['id', ' ID', '_Id', '-iD'].map((id) => name + id),
    ),
  ],
  ['req', ['req', 'REQ']],
  [
    'field',
    [
      'timestamp',
      'time',
      'ts',
      'date',
      'created',
      'updated_at',
      'elapsed',
      'duration',
      'took',
      'latency',
    ].flatMap((key) => [`"${key}":7`, `"${key}_ms" : 7`, `"${key.toUpperCase()}MS"\n:7`]),
  ],
  ['epoch', ['1512345678', '1612345678', '1712345678', '1812345678', '1912345678']],
  ['temporary', ['/tmp/tmp', '/T/tmp']],
  ['attempt', ['attempt 1', 'Attempt: #1', 'try\u3000\u20141', 'TRY 1']],
  ['tries', ['1 attempt', '1 Tries', '1 retries', '1 guesses']],
  ['token', ['?a=abcdefghijklmnopqrst', '?_=abcdefghijklmnopqrst', '&.=%~+/=-%~+/=-%~+/=-ab']],
];

it.each(cases)('finds %s at the beginning, in the middle and at the end of a text', (name, texts) => {
  for (const text of texts)
    for (const around of [text, `${text} \u2192`, `x ${text}`, `\u2192 ${text} y`])
      expect(signsIn(around) & bitsOf(name), around).not.toBe(0);
});

it('finds no sign in ordinary text', () => {
  expect(signsIn('')).toBe(0);
  expect(
    signsIn('The 12 files in src/lib are 3 of 40: said, did, read-only.\n  12\u2192\tconst a = 5;'),
  ).toBe(0);
});
