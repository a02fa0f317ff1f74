import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Api } from '../../src/api/api.ts';
import { chatApi } from '../../src/api/chat.ts';
import { parseObject } from '../../src/api/json.ts';
import { messagesApi } from '../../src/api/messages.ts';
import { RequestParser } from '../../src/api/parsing/request-parser.ts';
import { responsesApi } from '../../src/api/responses.ts';
import { CallKeys, History } from '../../src/session/history.ts';
import { PromptLedger } from '../../src/session/prompt-ledger.ts';
import { completed } from '../steps.ts';

const words = fc.constantFrom('a', 'ab', '"', '\\', '\n', 'ü', '😀', '\ud83d', '{[', ']}', '!/help', '');
const text = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(' '));
const id = fc.constantFrom('c1', 'c2', 'c3');
const args = fc.constantFrom('{"path":"a"}', '{"path": "b"}', 'no JSON', '');

const chatElement = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system', 'assistant'), content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({ id, type: fc.constant('function'), function: fc.record({ name: id, arguments: args }) }),
      { maxLength: 3 },
    ),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content: text }),
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('tool_use'), id, name: id, input: fc.dictionary(id, text) }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: text, is_error: fc.boolean() }),
);
const messagesElement = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(text, fc.array(block, { maxLength: 3 })),
});
const responsesElement = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }),
  fc.record({ type: fc.constant('function_call'), call_id: id, name: id, arguments: args }),
  fc.record({ type: fc.constant('function_call_output'), call_id: id, output: text }),
);

/** Changes a history as clients do: they go on, shorten, repeat and rewrite it. */
type Edit = (history: readonly unknown[]) => unknown[];
function edit(element: fc.Arbitrary<unknown>): fc.Arbitrary<Edit> {
  const at = fc.nat(12);
  const elements = fc.array(element, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: elements.map(
        (added): Edit =>
          (history) => [...history, ...added],
      ),
    },
    at.map(
      (i): Edit =>
        (history) =>
          history.slice(i),
    ),
    at.map(
      (i): Edit =>
        (history) =>
          history.slice(0, i),
    ),
    fc.tuple(at, elements).map(
      ([i, added]): Edit =>
        (history) =>
          history.toSpliced(i, 1, ...added),
    ),
    fc.constantFrom<Edit>(
      (history) => [...history],
      () => [],
      (history) => [...history, 1],
      (history) => history.toReversed(),
    ),
  );
}

/** Writes a request. Short ones are not remembered, so each is padded. */
type Writing = (key: string, history: readonly unknown[]) => string;
const padding = 'p'.repeat(5_000);
const writing = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<Writing>((key, history) =>
      JSON.stringify({ model: 'm', padding, [key]: history, tools: [{ [key]: [1] }] }),
    ),
  },
  fc.constantFrom<Writing>(
    (key, history) => JSON.stringify({ [key]: history, padding, stream: true }),
    (key, history) => JSON.stringify({ padding, [key]: history }, null, 1),
    // The last of two fields with one name counts.
    (key, history) =>
      `{"${key}":[{"role":"user","content":"x"}],"padding":"${padding}","${key}":${JSON.stringify(history)}}`,
    (key, history) => `{"padding":"${padding}","${key}":${JSON.stringify(history)},"${key}":[]}`,
    (key, history) => `{"padding":"${padding}","${key}":${JSON.stringify(history)},"${key}":"none"}`,
    (key, history) => `{"padding":"${padding}","\\u0069nput":[],"${key}":${JSON.stringify(history)}} x`,
  ),
);
/** Damages the bytes: at which share of them, and what is written there. */
const damage = fc.option(
  fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(',', ']', '}', '"', '\\', ' ', '\xff'),
  ),
  { freq: 4 },
);

it.each<[string, Api, fc.Arbitrary<unknown>]>([
  ['chat', chatApi, chatElement],
  ['messages', messagesApi, messagesElement],
  ['responses', responsesApi, responsesElement],
])(
  'RequestParser: incremental parsing gives the same history as parsing from scratch (%s)',
  (_name, api, element) => {
    const step = fc.record({ edit: edit(element), writing, damage, conversation: fc.nat(1) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
        const parser = new RequestParser();
        const keys = new CallKeys();
        const histories: unknown[][] = [[], []];
        const ledgers = { known: new PromptLedger(), whole: new PromptLedger() };
        for (const { edit: apply, writing: write, damage: damaged, conversation } of steps) {
          histories[conversation] = apply(histories[conversation] ?? []);
          const raw = Buffer.from(write(api.historyKey, histories[conversation] ?? []));
          if (damaged !== null) raw.write(damaged[1], Math.floor(damaged[0] * (raw.length - 1)), 'latin1');
          const known = completed(parser.parse(raw, api.historyKey));
          const whole = parseObject(raw.toString('utf8'));
          expect(known).toEqual(whole);
          expect(JSON.stringify(known)).toBe(JSON.stringify(whole));
          if (known === undefined || whole === undefined) continue;
          const read = [api.readRequest(known), api.readRequest(whole)] as const;
          expect(read[0]).toEqual(read[1]);
          if (read[0] === undefined || read[1] === undefined) continue;
          const shown = new History(read[0], keys);
          const shownWhole = new History(read[1]);
          expect(shown.fingerprint).toBe(shownWhole.fingerprint);
          expect(completed(ledgers.known.take(shown, { isRepeated: false }))).toEqual(
            completed(ledgers.whole.take(shownWhole, { isRepeated: false })),
          );
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  },
);

it('RequestParser: keeps the elements of a continued history, and parses only new ones', () => {
  const parser = new RequestParser();
  const messages = Array.from({ length: 60 }, (_, i) => ({
    role: 'user',
    content: `${String(i)} ${'x'.repeat(200)}`,
  }));
  const parse = (count: number): unknown =>
    completed(
      parser.parse(
        Buffer.from(JSON.stringify({ model: 'm', messages: messages.slice(0, count), tools: [] })),
        'messages',
      ),
    )?.['messages'];
  const before = parse(50) as unknown[];
  const after = parse(60) as unknown[];
  expect(after.slice(0, 50).every((element, i) => element === before[i])).toBe(true);
  expect(after).toEqual(messages);
});

it('RequestParser: keeps the elements before a changed one', () => {
  const parser = new RequestParser();
  const history = (last: string) => [
    ...Array.from({ length: 30 }, (_, i) => ({ role: 'user', content: `${String(i)} ${'x'.repeat(200)}` })),
    { role: 'user', content: last },
  ];
  const parse = (last: string) =>
    completed(parser.parse(Buffer.from(JSON.stringify({ messages: history(last) })), 'messages'))?.[
      'messages'
    ] as unknown[];
  const before = parse('a');
  const after = parse('b');
  expect(after[29]).toBe(before[29]);
  expect(after[30]).toEqual({ role: 'user', content: 'b' });
});

it('RequestParser: tells requests apart that continue the same one at the same time', () => {
  const parser = new RequestParser();
  const shared = Array.from({ length: 30 }, (_, i) => `${String(i)} ${'x'.repeat(200)}`);
  const start = (...added: readonly string[]) =>
    parser.parse(Buffer.from(JSON.stringify({ messages: messagesOf(added) })), 'messages');
  const messagesOf = (added: readonly string[]) =>
    [...shared, ...added].map((content) => ({ role: 'user', content }));
  completed(start());
  const [one, other] = [start('a', 'b'), start('c', 'd')];
  other.next();
  expect(completed(one)).toEqual({ messages: messagesOf(['a', 'b']) });
  expect(completed(other)).toEqual({ messages: messagesOf(['c', 'd']) });
  for (const added of [
    ['c', 'd', 'e'],
    ['a', 'b', 'e'],
  ])
    expect(completed(start(...added))).toEqual({ messages: messagesOf(added) });
});

it('RequestParser: knows a history that grows beyond the room kept for it', () => {
  const parser = new RequestParser();
  const messages: object[] = [];
  let before: unknown[] = [];
  for (let i = 0; i < 200; i += 1) {
    messages.push({ role: 'user', content: `${String(i)} ${'x'.repeat(200)}` });
    const body = completed(parser.parse(Buffer.from(JSON.stringify({ messages, i })), 'messages'));
    expect(body).toEqual({ messages, i });
    const after = body?.['messages'] as unknown[];
    if (i > 30) expect(after.slice(0, -1).every((element, n) => element === before[n])).toBe(true);
    before = after;
  }
});
