import type { DetectionInput } from '@loopwatch/contract';

type Call = readonly [name: string, args: object];
/** A call with its result, made so many times in one response; or a new prompt. */
export type Step = readonly [name: string, args: object, result: string, sideBySide?: number] | 'prompt';
export type Answer = 'allow' | 'deny';
/** A session, a call that is asked for in it, and the decision. */
export interface Case {
  readonly title: string;
  readonly history: readonly Step[];
  readonly asked: Call;
  readonly expected: Answer;
  /** The loop is blocked at its latest result: the gateway asks the model for no further call. */
  readonly endsTurn?: true;
}

/** The settings of all sessions. */
export const input: DetectionInput = {
  per_tool: { search: { identity: ['query'] }, fetch: { volatile: ['requestId'] } },
};

const text = 'src/cart.ts:12: the total is rounded down';
const times = (n: number, ...steps: readonly Step[]): Step[] => Array.from({ length: n }, () => steps).flat();

/** A loop of one call, and the call that is asked for. */
const loop = (title: string, [name, args]: Call, asked: Call, expected: Answer): Case => ({
  title,
  history: times(3, [name, args, text]),
  asked,
  expected,
});

const long = 'x'.repeat(600);
const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
const bash = (command: string, more: object = {}): Call => ['Bash', { command, ...more }];
const read = (path: unknown, more: object = {}): Call => ['read_file', { path, ...more }];
const denied = 'Error: EACCES: permission denied, open';
const failures = (n: number): Step[] =>
  Array.from({ length: n }, (_, i) => ['read_file', { path: `src/${String(i)}.ts` }, denied]);
const a: Step = ['grep', { q: 'total' }, text];
const b: Step = ['list_dir', { path: 'src' }, 'cart.ts order.ts'];
const alike: Step = ['read_file', { path: 'a.ts' }, text, 5];

/** The calls of a step, with ids. */
export function callsOf([name, args, result, sideBySide = 1]: Exclude<Step, 'prompt'>, i: number) {
  return Array.from({ length: sideBySide }, (_, n) => ({
    id: `c-${String(i)}-${String(n)}`,
    name,
    args,
    result,
  }));
}

export const cases: readonly Case[] = [
  loop('the same call', read('a.ts'), read('a.ts'), 'deny'),
  loop('another argument', read('a.ts'), read('b.ts'), 'allow'),
  loop('another tool', read('a.ts'), ['open_file', { path: 'a.ts' }], 'allow'),
  loop(
    'a command described in other words',
    bash('ls -la', { description: 'List' }),
    bash('ls -la', { description: 'Show all' }),
    'deny',
  ),
  loop('a command without its description', bash('ls -la', { description: 'List' }), bash('ls -la'), 'deny'),
  loop(
    'another command with the same description',
    bash('ls -la', { description: 'List' }),
    bash('ls', { description: 'List' }),
    'allow',
  ),
  loop(
    'a description that is an argument',
    read('a.ts', { description: 'x' }),
    read('a.ts', { description: 'y' }),
    'allow',
  ),
  loop(
    'a field that agents add to any tool',
    read('a.ts', { task_progress: '1 of 3' }),
    read('a.ts', { task_progress: '2 of 3' }),
    'deny',
  ),
  loop('a long argument', bash(`echo ${long}`), bash(`echo ${long}`), 'deny'),
  loop('a long argument with another end', bash(`echo ${long}`), bash(`echo ${long}y`), 'allow'),
  loop('a very long argument', read(long.repeat(100)), read(long.repeat(100)), 'deny'),
  loop(
    'a secret',
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    'deny',
  ),
  loop(
    'another secret',
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    bash(`curl -H "Authorization: Bearer ${key}E" https://x`),
    'allow',
  ),
  loop('another order of keys', ['edit', { path: 'a', line: 1 }], ['edit', { line: 1, path: 'a' }], 'deny'),
  loop(
    'another order of nested keys',
    ['edit', { at: { path: 'a', line: 1 } }],
    ['edit', { at: { line: 1, path: 'a' } }],
    'deny',
  ),
  loop('another order of a list', ['edit', { lines: [1, 2] }], ['edit', { lines: [2, 1] }], 'allow'),
  loop('the same number', ['edit', { line: 10 }], ['edit', { line: 1e1 }], 'deny'),
  loop('a number as text', ['edit', { line: 10 }], ['edit', { line: '10' }], 'allow'),
  loop('nested JSON as text', ['edit', { patch: '{"a": 1}' }], ['edit', { patch: '{"a": 1}' }], 'deny'),
  loop(
    'nested JSON as text and as an object',
    ['edit', { patch: '{"a":1}' }],
    ['edit', { patch: { a: 1 } }],
    'allow',
  ),
  loop('null and a missing argument', read('a.ts', { lines: null }), read('a.ts'), 'deny'),
  loop('no arguments', ['get_time', {}], ['get_time', {}], 'deny'),
  loop('no arguments and one', ['get_time', {}], ['get_time', { zone: 'utc' }], 'allow'),
  loop('unicode', read('Grüße/日本語 🎉.ts'), read('Grüße/日本語 🎉.ts'), 'deny'),
  loop('unicode in another normal form', read('Gr\u00fc\u00dfe.ts'), read('Gru\u0308\u00dfe.ts'), 'allow'),
  loop(
    'line breaks and control characters',
    bash('cat <<E\n\ta\u0007\nE'),
    bash('cat <<E\n\ta\u0007\nE'),
    'deny',
  ),
  loop(
    'a tool that is identified by its query',
    ['search', { query: 'tax', page: 1 }],
    ['search', { query: 'tax', page: 2 }],
    'deny',
  ),
  loop(
    'a tool that is identified by another query',
    ['search', { query: 'tax', page: 1 }],
    ['search', { query: 'vat', page: 1 }],
    'allow',
  ),
  loop(
    'a volatile argument',
    ['fetch', { url: 'https://x', requestId: 'r-1' }],
    ['fetch', { url: 'https://x', requestId: 'r-2' }],
    'deny',
  ),
  loop('a long name', ['t'.repeat(300), { q: 1 }], ['t'.repeat(300), { q: 1 }], 'deny'),
  loop(
    'a long name with another end',
    ['t'.repeat(300), { q: 1 }],
    [`${'t'.repeat(300)}u`, { q: 1 }],
    'allow',
  ),
  {
    title: 'the next call of a cycle',
    history: times(3, a, b),
    asked: ['grep', { q: 'total' }],
    expected: 'deny',
  },
  {
    title: 'another call of a cycle',
    history: times(3, a, b),
    asked: ['list_dir', { path: 'src' }],
    expected: 'deny',
  },
  { title: 'a call that leaves a cycle', history: times(3, a, b), asked: read('a.ts'), expected: 'allow' },
  { title: 'a failed call after a chance', history: failures(5), asked: read('src/1.ts'), expected: 'deny' },
  {
    title: 'something new after a chance',
    history: failures(5),
    asked: read('src/new.ts'),
    expected: 'allow',
  },
  {
    title: 'any call of a blocked tool',
    history: failures(6),
    asked: read('src/new.ts'),
    expected: 'deny',
    endsTurn: true,
  },
  {
    title: 'another tool beside a blocked one',
    history: failures(6),
    asked: ['grep', { q: 'x' }],
    expected: 'allow',
    endsTurn: true,
  },
  {
    title: 'a call that one response made several times',
    history: [alike],
    asked: read('a.ts'),
    expected: 'allow',
  },
  {
    title: 'a call that two responses made several times',
    history: times(2, alike),
    asked: read('a.ts'),
    expected: 'allow',
  },
  {
    title: 'a call that each of three responses made several times',
    history: times(3, alike),
    asked: read('a.ts'),
    expected: 'deny',
  },
  {
    title: 'a loop that is over',
    history: [...times(3, a), b],
    asked: ['grep', { q: 'total' }],
    expected: 'allow',
  },
  {
    title: 'a loop of the previous prompt',
    history: [...times(3, a), 'prompt'],
    asked: ['grep', { q: 'total' }],
    expected: 'allow',
  },
];
