/** The parts of one session, in order. */
type Step =
  | { readonly prompt: string }
  | { readonly say: string }
  | { readonly call: string; readonly input: object; readonly result: string; readonly isError?: true };

interface History {
  readonly project: string;
  readonly sessionId: string;
  readonly model: string;
  readonly start: string;
  /** Tokens that each request reads from the cache. */
  readonly context: number;
  readonly steps: readonly Step[];
}

const repeated = (count: number, step: (i: number) => Step[]): Step[] =>
  Array.from({ length: count }, (_, i) => step(i)).flat();
const read = (file: string, result: string): Step => ({ call: 'Read', input: { file_path: file }, result });
const edit = (file: string, from: string, to: string): Step => ({
  call: 'Edit',
  input: { file_path: file, old_string: from, new_string: to },
  result: `The file ${file} has been updated.`,
});

const failedTest =
  'FAIL src/cart.test.ts > total > rounds to cents\nAssertionError: expected 19.989999999999998 to be 19.99';

/** Typical sessions of coding agents: three with loops, and three without. */
const histories: readonly History[] = [
  {
    project: '-home-you-shop',
    sessionId: '5f0c1d4e-7a52-4c1b-9a0e-2f6f3b8f1a01',
    model: 'claude-opus-5',
    start: '2026-11-18T09:12:00Z',
    context: 148_000,
    steps: [
      { prompt: 'The total of a cart is one cent off. Fix it.' },
      read('src/cart.ts', 'export const total = (items) => items.reduce((sum, i) => sum + i.price, 0);'),
      ...repeated(48, () => [
        { call: 'Bash', input: { command: 'npm test -- cart' }, result: failedTest, isError: true },
      ]),
    ],
  },
  {
    project: '-home-you-shop',
    sessionId: '9b7a6c20-13de-4f58-8d55-60e1c7d2be02',
    model: 'claude-sonnet-4-5',
    start: '2026-11-19T14:03:00Z',
    context: 61_000,
    steps: [
      { prompt: 'Upgrade the payment client to version 4.' },
      ...repeated(12, () => [
        read('src/payment.ts', 'import { Client } from "pay"; // v3'),
        {
          call: 'Edit',
          input: { file_path: 'src/payment.ts', old_string: 'new Client(v3)', new_string: 'new Client(v4)' },
          result: 'String to replace not found in file.',
          isError: true,
        },
      ]),
    ],
  },
  {
    project: '-home-you-docs',
    sessionId: 'c2e84f17-5b39-4e0d-b6a4-7d0f92a3cc03',
    model: 'claude-sonnet-4-5',
    start: '2026-11-20T16:40:00Z',
    context: 22_000,
    steps: [
      { prompt: 'Write the release notes.' },
      { say: 'I will now write the release notes. '.repeat(120) },
    ],
  },
  {
    project: '-home-you-shop',
    sessionId: '1d93b2a5-88f4-47c6-9e21-54ab0e67dd04',
    model: 'claude-sonnet-4-5',
    start: '2026-11-20T08:30:00Z',
    context: 35_000,
    steps: [
      { prompt: 'Rename the field price to amount.' },
      ...repeated(12, (i) => [
        read(`src/part-${String(i)}.ts`, `export const part${String(i)} = { price: ${String(i)} };`),
        edit(`src/part-${String(i)}.ts`, 'price', 'amount'),
      ]),
      { call: 'Bash', input: { command: 'npm test' }, result: 'Tests 84 passed' },
      { say: 'All twelve files use the new name, and the tests pass.' },
    ],
  },
  {
    project: '-home-you-shop',
    sessionId: '70ce5d38-2b6f-4d19-a3f0-91c4e8b5ee05',
    model: 'claude-opus-5',
    start: '2026-11-21T10:05:00Z',
    context: 54_000,
    steps: [
      { prompt: 'Deploy the branch, and tell me when it is up.' },
      ...repeated(15, (i) => [
        {
          call: 'Bash',
          input: { command: 'kubectl rollout status deploy/shop --watch=false' },
          result: `Waiting for rollout to finish: ${String(i)} of 15 updated replicas are available`,
        },
      ]),
      { say: 'The deployment is up: 15 of 15 replicas are available.' },
    ],
  },
  {
    project: '-home-you-docs',
    sessionId: 'e81f4a96-c07d-4b2e-8c63-0a5d7f19ff06',
    model: 'claude-haiku-4-5',
    start: '2026-11-21T11:20:00Z',
    context: 12_000,
    steps: [
      { prompt: 'Which pages link to the old domain?' },
      ...repeated(8, (i) => [
        read(`pages/${String(i)}.md`, `# Page ${String(i)}\nSee https://example.com/${String(i)}`),
      ]),
      { say: 'Pages 2 and 5 do.' },
    ],
  },
];

export interface HistoryFile {
  /** In `~/.claude`. */
  readonly path: string;
  readonly text: string;
  readonly writtenAt: Date;
}

/** The sessions as Claude Code stores them. */
export function historyFiles(): HistoryFile[] {
  return histories.map((history) => ({
    path: `projects/${history.project}/${history.sessionId}.jsonl`,
    text: recordsOf(history)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(''),
    writtenAt: new Date(history.start),
  }));
}

function recordsOf({ sessionId, model, start, context, steps }: History): object[] {
  const records: object[] = [];
  const add = (type: 'user' | 'assistant', message: object) => {
    const uuid = `${sessionId}-${String(records.length)}`;
    const parentUuid = records.length === 0 ? null : `${sessionId}-${String(records.length - 1)}`;
    const timestamp = new Date(Date.parse(start) + records.length * 4000).toISOString();
    records.push({
      type,
      uuid,
      parentUuid,
      sessionId,
      timestamp,
      cwd: '/home/you',
      message: { role: type, ...message },
    });
  };
  steps.forEach((step, i) => {
    const usage = { input_tokens: 40, cache_read_input_tokens: context + 300 * i, output_tokens: 280 };
    const answer = (block: object) => {
      add('assistant', { id: `msg-${sessionId}-${String(i)}`, model, content: [block], usage });
    };
    if ('prompt' in step) add('user', { content: step.prompt });
    else if ('say' in step) answer({ type: 'text', text: step.say });
    else {
      const id = `toolu-${sessionId}-${String(i)}`;
      answer({ type: 'tool_use', id, name: step.call, input: step.input });
      const { result, isError = false } = step;
      add('user', {
        content: [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }],
      });
    }
  });
  return records;
}
