import { eventSchema } from '@loopwatch/contract';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ChatStream, chatUsage } from '../../src/api/chat-stream.ts';
import { SseEvent, sseText } from '../../src/api/sse.ts';

const part = (index: number, args: string) =>
  new SseEvent(
    Buffer.from(
      sseText({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: args } }] } }] }),
    ),
  );

it('chat stream: the arguments of a call are parsed once, however many parts the next one has', () => {
  const stream = new ChatStream({}, () => ({}));
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => {
    parse.mockRestore();
  });
  const whole = JSON.stringify({ text: 'x'.repeat(1_000) });
  for (const piece of [whole.slice(0, 500), whole.slice(500)]) stream.read(part(0, piece));
  for (let n = 0; n < 100; n += 1) {
    stream.read(part(1, n === 0 ? '{"text": "' : 'y'));
    expect(stream.completeCalls).toBe(1);
  }
  expect(parse.mock.calls.filter(([text]) => text === whole)).toHaveLength(1);
});

it('chat stream: interleaved calls are complete only when whole', () => {
  const stream = new ChatStream({}, () => ({}));
  const complete = [part(0, '{"a"'), part(1, '{}'), part(0, ': 1'), part(0, '}'), part(2, '{}')].map(
    (piece) => {
      stream.read(piece);
      return stream.completeCalls;
    },
  );
  expect(complete).toEqual([0, 0, 0, 1, 2]);
});

it.each([-1, 1e300, Number.NaN, '9'])('chat stream: out-of-range usage is dropped: %s tokens', (tokens) => {
  const usage = chatUsage({ prompt_tokens: tokens, completion_tokens: 7 });
  expect(usage).toEqual({ inputTokens: null, outputTokens: 7 });
  expect(eventSchema.safeParse({ type: 'turn_finished', usage }).success).toBe(true);
});
