import { describe, expect, it } from 'vitest';
import { Conversations } from '../../src/record/conversation.ts';
import type { Message } from '../../src/record/message.ts';
import { SeenAnswers } from '../../src/record/seen-answers.ts';

const asks = (text: string): Message => ({ role: 'user', text });
const step = (i: number, id = `call_${String(i)}`, path = `file ${String(i)}`): Message[] => [
  {
    role: 'assistant',
    text: `Step ${String(i)}.`,
    calls: [{ id, name: 'read', args: { path } }],
  },
  { role: 'tool', results: [{ id, result: `text of ${path}` }] },
];
/** As in Gemini's API, whose calls have no ids. */
const unnamed = (i: number): Message[] => [
  { role: 'assistant', calls: [{ id: null, name: 'read', args: { path: `file ${String(i)}` } }] },
  { role: 'tool', results: [{ id: null, result: `text of file ${String(i)}` }] },
];
const STEPS = 8;
const all = Array.from({ length: STEPS }, (_, i) => i);
const steps = (count: number, of: (i: number) => Message[] = (i) => step(i)) =>
  all.slice(0, count).flatMap((i) => of(i));

/** How a history grows: what the request after this many steps contains. */
const growths: Record<string, (count: number) => Message[]> = {
  'is only added to': (count) => [asks('look'), ...steps(count)],
  'keeps the prompt and the latest steps': (count) => [asks('look'), ...steps(count).slice(-4)],
  'keeps the latest steps only': (count) =>
    count < 4 ? [asks('look'), ...steps(count)] : steps(count).slice(-4),
  'has earlier results replaced': (count) => [
    asks('look'),
    ...steps(count)
      .slice(0, -2)
      .map(
        (message): Message =>
          message.role === 'tool'
            ? { ...message, results: message.results.map((result) => ({ ...result, result: '[cleared]' })) }
            : message,
      ),
    ...steps(count).slice(-2),
  ],
  'begins with a summary from time to time': (count) =>
    count < 4
      ? [asks('look'), ...steps(count)]
      : [asks(`Summary ${String(Math.floor(count / 3))}`), ...steps(count).slice(-4)],
  'has calls without ids, and the time in its prompt': (count) => [
    asks(`look, it is ${String(count)}`),
    ...steps(count, unnamed),
  ],
  'has calls without ids, and keeps the latest steps': (count) => [
    asks('look'),
    ...steps(count, unnamed).slice(-6),
  ],
  'has calls without ids, and earlier results replaced': (count) => [
    asks('look'),
    ...steps(count, unnamed).map(
      (message, i): Message =>
        message.role === 'tool' && i < 2 * count - 4
          ? { role: 'tool', results: [{ id: null, result: '[cleared]' }] }
          : message,
    ),
  ],
  'repeats one call, with new ids': (count) => [
    asks('look'),
    ...steps(count, (i) => step(i, `call_${String(i)}`, 'same')).slice(-4),
  ],
  'numbers calls in each answer': (count) => [asks('look'), ...steps(count, (i) => step(i, 'call_0'))],
};

describe.each(Object.entries(growths))('a history that %s', (_, growth) => {
  it.each([
    ['one reader', new Conversations({ hasStableArgs: false })],
    ['a reader for each request', undefined],
  ])('yields each of its messages once, to %s', (_name, reader) => {
    const answers = new SeenAnswers();
    const known = new Set<unknown>();
    const events = all
      .flatMap((i) => {
        const conversations = reader ?? new Conversations({ hasStableArgs: false, answers });
        return conversations.read(growth(i + 1), { sessionId: 's' });
      })
      .filter(({ id }) => !known.has(id) && known.add(id));
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect(['prompt_started', 'turn_started', 'tool_call_request', 'tool_result'].map(count)).toEqual([
      1,
      STEPS,
      STEPS,
      STEPS,
    ]);
  });
});

it.each<[string, (text: string, id: string) => string]>([
  ['ends their blocks of code', (text) => `${text}</code>`],
  ['adds their calls as text', (text, id) => `${text}\nCalling tools:\n[{'id': '${id}'}]`],
  ['has their calls alone, as text', (_, id) => `Calling tools:\n[{'id': '${id}'}]`],
])('a history that %s yields each answer once', (_, inHistory) => {
  const conversations = new Conversations({ hasStableArgs: false });
  const history = (count: number) =>
    steps(count).map((message): Message => {
      if (message.role === 'tool') return asks(`Observation: ${JSON.stringify(message.results)}`);
      if (message.role !== 'assistant') return message;
      return {
        role: 'assistant',
        text: inHistory(message.text ?? '', message.calls[0]?.id ?? ''),
        calls: [],
      };
    });
  const events = all.flatMap((i) =>
    conversations.read([asks('look'), ...history(i), ...step(i).slice(0, 1)], { sessionId: 's' }),
  );
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect(['turn_started', 'content', 'tool_call_request'].map(count)).toEqual([STEPS, STEPS, STEPS]);
});

it('another conversation of the session may number its calls like the first', () => {
  const conversations = new Conversations({ hasStableArgs: false });
  const events = ['a', 'b'].flatMap((path) =>
    conversations.read([asks(`look at ${path}`), ...step(0, 'call_0', path), ...step(1, 'call_1', path)], {
      sessionId: 's',
    }),
  );
  expect(events.filter(({ type }) => type === 'tool_call_request').map((call) => call['args'])).toEqual(
    ['a', 'a', 'b', 'b'].map((path) => ({ path })),
  );
});

it('a prompt that repeats an earlier one is a prompt of its own', () => {
  const conversations = new Conversations();
  const messages = all.flatMap((i) => [asks('go on'), ...step(i)]);
  const events = all.flatMap((i) => conversations.read(messages.slice(0, 3 * i + 1), { sessionId: 's' }));
  expect(events.filter(({ type }) => type === 'prompt_started')).toHaveLength(STEPS);
});

it('a history that begins with text before its calls without ids yields each call once', () => {
  const conversations = new Conversations({ hasStableArgs: false });
  const events = all.flatMap((i) =>
    conversations.read(
      [
        asks(`look, it is ${String(i)}`),
        { role: 'assistant', text: 'I look at one file after the other.', calls: [] },
        asks('yes'),
        ...steps(i + 1, unnamed),
      ],
      { sessionId: 's' },
    ),
  );
  expect(events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(STEPS);
});

describe('records that name no conversation', () => {
  const conversation = (prompt: string, path: string, id = 'call_0'): Message[] => [
    asks(prompt),
    { role: 'assistant', calls: [{ id, name: 'read', args: { path } }] },
    { role: 'tool', results: [{ id, result: `text of ${path}` }] },
    { role: 'assistant', text: 'Done.', calls: [] },
  ];
  const countsOf = (histories: readonly Message[][]) => {
    const conversations = new Conversations({ hasStableArgs: false });
    const known = new Set<unknown>();
    const events = histories
      .flatMap((messages) => conversations.readUnnamed(messages, { sessionId: 's' }))
      .filter(({ id }) => !known.has(id) && known.add(id));
    return ['prompt_started', 'tool_call_request'].map(
      (type) => events.filter((event) => event.type === type).length,
    );
  };

  it.each<[string, Message[][], number[]]>([
    [
      'conversations that number their calls in the same way',
      [conversation('a', 'a'), conversation('b', 'b')],
      [2, 2],
    ],
    [
      'conversations with the same prompt',
      [conversation('a', 'a', 'x'), conversation('a', 'a', 'y')],
      [2, 2],
    ],
    ['a copy', [conversation('a', 'a'), conversation('a', 'a')], [1, 1]],
    ['a history that grows', [1, 2, 3, 4].map((count) => conversation('a', 'a').slice(0, count)), [1, 1]],
    [
      'two that grow by turns',
      [2, 4].flatMap((count) => ['a', 'b'].map((name) => conversation(name, name, name).slice(0, count))),
      [2, 2],
    ],
    ['a window over one', [1, 2, 3, 4, 5].map((count) => [asks('look'), ...steps(count).slice(-4)]), [1, 5]],
  ])('are %s', (_, histories, expected) => {
    expect(countsOf(histories)).toEqual(expected);
  });
});
