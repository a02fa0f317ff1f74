import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item, ToolCall } from '../../src/api/conversation.ts';
import { callKey, History } from '../../src/session/history.ts';
import { PromptLedger } from '../../src/session/prompt-ledger.ts';
import { completed } from '../steps.ts';

const user = (text: string): Item => ({ role: 'user', text });
const asks = (...calls: ToolCall[]): Item => ({ role: 'assistant', text: '', calls });
const call = (id: string | null, name = 'read', args: ToolCall['args'] = '{"path":"a"}'): ToolCall => ({
  id,
  name,
  args,
});
const result = (callId: string | null, text = 'ok'): Item => ({ role: 'result', callId, result: text });
const take = (
  ledger: PromptLedger,
  items: readonly Item[],
  more: { keepsHistory?: boolean; repeated?: boolean } = {},
) =>
  completed(
    ledger.take(new History({ items, previous: null, keepsHistory: more.keepsHistory ?? false }), {
      isRepeated: more.repeated ?? false,
    }),
  ).map(({ type }) => type);

/** Turns of one prompt: what the model calls in each. */
const turns = fc.array(
  fc.array(
    fc.record({ name: fc.constantFrom('read', 'grep'), args: fc.constantFrom('{"a":1}', '{"a": 1}', '{}') }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  { maxLength: 8 },
);

describe('new entries of a cumulative history', () => {
  it.each(['own', 'the same for all', 'none', 'made up by the client each time'] as const)(
    'new entries: each call and each result once, with call ids: %s',
    (ids) => {
      fc.assert(
        fc.property(turns, (made) => {
          const ledger = new PromptLedger();
          const history: Item[] = [user('go')];
          const seen = take(ledger, history);
          let results = 0;
          made.forEach((calls, turn) => {
            const answered = calls.map(({ name, args }, i): ToolCall => {
              const id =
                ids === 'none' ? null : ids === 'the same for all' ? 'call' : `${String(turn)}.${String(i)}`;
              return { id, name, args };
            });
            for (const one of answered) ledger.addCall(callKey(one));
            const told =
              ids === 'made up by the client each time'
                ? answered.map((one) => ({ ...one, id: `x${one.id ?? ''}` }))
                : answered;
            history.push(asks(...told), ...told.map(({ id }) => result(id)));
            results += told.length;
            seen.push(...take(ledger, history));
          });
          expect(seen.filter((type) => type === 'prompt')).toHaveLength(1);
          expect(seen.filter((type) => type === 'call' || type === 'turn')).toEqual([]);
          expect(seen.filter((type) => type === 'result')).toHaveLength(results);
        }),
      );
    },
  );

  it('new entries: the whole current prompt if none of it was seen, nothing of earlier prompts', () => {
    const before: Item[] = [
      user('first'),
      asks(call('1')),
      result('1'),
      { role: 'assistant', text: 'Done.', calls: [] },
    ];
    const now: Item[] = [
      user('second'),
      asks(call('2'), call('3')),
      result('2'),
      result('3'),
      asks(call('4')),
      result('4'),
    ];
    const ledger = new PromptLedger();
    const all = ['prompt', 'turn', 'call', 'call', 'result', 'result', 'turn', 'call', 'result'];
    expect(take(ledger, [...before, ...now])).toEqual(all);
    expect(take(ledger, [...before, ...now])).toEqual([]);
  });

  it('new entries: none if the start of the history is truncated', () => {
    const ledger = new PromptLedger();
    const history: Item[] = [user('go'), ...['1', '2', '3'].flatMap((id) => [asks(call(id)), result(id)])];
    take(ledger, history);
    expect(take(ledger, [history[0] as Item, ...history.slice(3)])).toEqual([]);
  });
});

describe('a new prompt', () => {
  const again: [string, Item[], Item[], boolean][] = [
    ['one message more', [user('a')], [user('a'), asks(), user('a')], true],
    ['another message in its place', [user('a')], [user('b')], true],
    ['the same message', [user('a')], [user('a')], false],
    ['the message of the next step', [user('Step 2. Result: no')], [user('Step 3. Result: no')], false],
    ['the message at another time', [user('It is 10:10:33. Go')], [user('It is 10:11:33. Go')], false],
    ['another result of the next step', [user('Step 2. Result: 1')], [user('Step 3. Result: 2')], true],
    ['a message about another item', [user('item 17')], [user('item 34')], true],
    ['a line of another time', [user('10:10:33 ping')], [user('10:11:33 ping')], true],
    ['results behind the same message', [user('a')], [user('a'), asks(call('1')), result('1')], false],
    ['a message behind results', [user('a')], [user('a'), asks(call('1')), result('1'), user('b')], false],
    [
      'two messages behind results',
      [user('a')],
      [user('a'), asks(call('1')), result('1'), user('b'), user('c')],
      false,
    ],
    [
      'a message behind calls that were never run',
      [user('a')],
      [user('a'), asks(call('1')), user('b')],
      true,
    ],
    [
      'a message that a client changed while its tools run',
      [user('a, 9:00')],
      [user('a, 9:01'), asks(call('1')), result('1')],
      false,
    ],
  ];
  it.each(again)('%s', (_, first, second, isNew) => {
    const ledger = new PromptLedger();
    take(ledger, first);
    expect(take(ledger, second).includes('prompt')).toBe(isNew);
  });

  it('a new prompt: the same text is one if the API keeps the history, unless the request is repeated', () => {
    const ledger = new PromptLedger();
    take(ledger, [user('continue')], { keepsHistory: true });
    expect(take(ledger, [user('continue')], { keepsHistory: true })).toEqual(['prompt']);
    expect(take(ledger, [user('continue')], { keepsHistory: true, repeated: true })).toEqual([]);
  });
});
