import type { AgentEvent } from '@loopwatch/contract';
import fc from 'fast-check';

const turn = fc.record({
  calls: fc.array(
    fc.record({ name: fc.constantFrom('read_file', 'grep'), path: fc.constantFrom('a', 'b') }),
    { minLength: 1, maxLength: 2 },
  ),
  result: fc.constantFrom('same', 'same', 'same', 'Error: no such file', '503 Service Unavailable'),
  tokens: fc.integer({ min: 1, max: 9 }),
  isPriced: fc.constantFrom(true, true, true, true, false),
});

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Few different turns, each several times: loops in loops. */
export const loopingTurns = fc
  .array(fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: 3 }), times: fc.nat(7) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((blocks) => blocks.flatMap(({ turns, times }) => Array.from({ length: times }, () => turns).flat()));

/** Their events, without session and time. */
export function eventsOf(turns: readonly Turn[]): AgentEvent[] {
  let calls = 0;
  return turns.flatMap(({ calls: made, result, tokens, isPriced }): AgentEvent[] => {
    const ids = made.map(() => `c-${String((calls += 1))}`);
    const isError = result !== 'same';
    return [
      { type: 'turn_started' },
      ...made.map(({ name, path }, i) => ({
        type: 'tool_call_request' as const,
        callId: ids[i]!,
        name,
        args: { path },
      })),
      { type: 'turn_finished', usage: { inputTokens: tokens }, ...(isPriced && { costUsd: tokens / 8 }) },
      ...ids.map((callId) => ({ type: 'tool_result' as const, callId, result, isError })),
    ];
  });
}
