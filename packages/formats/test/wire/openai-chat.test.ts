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

it.each([
  ['the same index', { index: 0 }],
  ['no index', {}],
])('a streamed Chat answer: parallel calls with %s are told apart by their ids', (_, place) => {
  const answer = new ChatAnswer({});
  const piece = (id: string | undefined, inner: object) =>
    answer.read({
      choices: [{ index: 0, delta: { tool_calls: [{ ...place, ...(id && { id }), function: inner }] } }],
    });
  piece('c1', { name: 'read', arguments: '{"path"' });
  piece(undefined, { arguments: ':"a"}' });
  piece('c2', { name: 'write', arguments: '{"path":"b"}' });
  expect(answer.completeCalls).toBe(1);
  expect(answer.calls).toEqual([
    { id: 'c1', name: 'read', args: '{"path":"a"}' },
    { id: 'c2', name: 'write', args: '{"path":"b"}' },
  ]);
});

it('a streamed Chat answer: calls without ids at one index are told apart once the one before is whole', () => {
  const answer = new ChatAnswer({});
  for (const args of ['{"path":"a"}', '{"path":"b"}'])
    answer.read({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'read', arguments: args } }] } }],
    });
  expect(answer.calls.map(({ args }) => args)).toEqual(['{"path":"a"}', '{"path":"b"}']);
});

it.each([
  ['OpenAI', { prompt_tokens_details: { cached_tokens: 4 } }],
  ['DeepSeek', { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 }],
  ['Moonshot', { cached_tokens: 4 }],
  ['LiteLLM', { cache_read_input_tokens: 4 }],
])('Chat usage: cached tokens as %s reports them', (_, details) => {
  const usage = chatUsage({ prompt_tokens: 9, completion_tokens: 7, ...details });
  expect(usage).toMatchObject({ inputTokens: 9, cachedInputTokens: 4 });
});

it.each([-1, 1e300, Number.NaN, 'many'])('Chat usage out of range is dropped: %s tokens', (tokens) => {
  const usage = chatUsage({ prompt_tokens: tokens, completion_tokens: 7 });
  expect(usage).toMatchObject({ inputTokens: undefined, outputTokens: 7 });
  expect(eventSchema.safeParse({ type: 'turn_finished', usage }).success).toBe(true);
});
