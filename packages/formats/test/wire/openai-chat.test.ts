import { eventSchema } from '@loopwatch/contract';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ChatAnswer } from '../../src/wire/index.ts';
import { chatUsage } from '../../src/wire/openai-chat.ts';

const part = (index: number, args: string) => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: args } }] } }],
});

it('a streamed Chat answer: the arguments of a call are parsed once, however many parts the next one has', () => {
  const answer = new ChatAnswer({});
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => {
    parse.mockRestore();
  });
  const whole = JSON.stringify({ text: 'x'.repeat(1_000) });
  for (const piece of [whole.slice(0, 500), whole.slice(500)]) answer.read(part(0, piece));
  for (let n = 0; n < 100; n += 1) {
    answer.read(part(1, n === 0 ? '{"text": "' : 'y'));
    expect(answer.completeCalls).toBe(1);
  }
  expect(parse.mock.calls.filter(([text]) => text === whole)).toHaveLength(1);
});

it('a streamed Chat answer: interleaved calls are complete only when whole', () => {
  const answer = new ChatAnswer({});
  const complete = [part(0, '{"a"'), part(1, '{}'), part(0, ': 1'), part(0, '}'), part(2, '{}')].map(
    (piece) => {
      answer.read(piece);
      return answer.completeCalls;
    },
  );
  expect(complete).toEqual([0, 0, 0, 1, 2]);
});

it('a streamed Chat answer: arguments may be an object', () => {
  const answer = new ChatAnswer({});
  const call = { index: 0, id: 'c1', function: { name: 'read', arguments: { path: 'a' } } };
  answer.read({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  expect(answer.calls).toEqual([{ id: 'c1', name: 'read', args: '{"path":"a"}' }]);
});

it.each([-1, 1e300, Number.NaN, 'many'])('Chat usage out of range is dropped: %s tokens', (tokens) => {
  const usage = chatUsage({ prompt_tokens: tokens, completion_tokens: 7 });
  expect(usage).toMatchObject({ inputTokens: undefined, outputTokens: 7 });
  expect(eventSchema.safeParse({ type: 'turn_finished', usage }).success).toBe(true);
});
