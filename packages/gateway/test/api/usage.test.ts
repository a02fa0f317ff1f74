import { eventSchema } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { chatUsage } from '../../src/api/chat-usage.ts';

it.each([-1, 1e300, Number.NaN, '9'])('reports no usage that no event can carry: %s tokens', (tokens) => {
  const usage = chatUsage({ prompt_tokens: tokens, completion_tokens: 7 });
  expect(usage).toEqual({ inputTokens: null, outputTokens: 7 });
  expect(eventSchema.safeParse({ type: 'turn_finished', usage }).success).toBe(true);
});
