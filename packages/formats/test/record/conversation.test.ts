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
