import type { DetectionInput } from '@loopwatch/contract';
import fc from 'fast-check';

/** An event as a producer writes it, or something that is none. */
export type Written = Readonly<Record<string, unknown>>;

/** Two equal calls, or a short text three times, are a loop: small streams have many then. */
export const eager: DetectionInput = {
  tool_call_loop: { max_repeats: 2, mode: 'chance_then_block' },
  content_loop: { window: 8, min_repeats: 3, max_distance: 40 },
  session: { idle_seconds: 60 },
};

export function call(sessionId: string, more: Written = {}): Written {
  return { sessionId, type: 'tool_call_request', name: 'ls', ...more };
}

const anyEvent: fc.Arbitrary<Written> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('ls', 'ls', 'rm').map((name) => call('', { name })) },
  { weight: 4, arbitrary: fc.constantFrom('round and round ', 'x', '\n- ').map((text) => content(text)) },
  fc.constantFrom('turn_started', 'prompt_started', 'session_ended', 'unheard_of').map((type) => ({ type })),
  fc.constantFrom('e-1', 'e-2').map((id) => call('', { id })),
  fc
    .constantFrom({ enabled: false }, { enabled: true }, { unheard_of: 1 })
    .map((set) => ({ type: 'control', set })),
  fc.constant(content(5)),
);

function content(text: unknown): Written {
  return { type: 'content', text };
}

/** Milliseconds since the event before; `null`: the event carries no time of its own. */
const pause = fc.constantFrom(null, 0, 1, 1, 1, 30_000, 61_000);

/** The events of one session, in order, a few of them bad. */
function session(sessionId: string): fc.Arbitrary<Written[]> {
  return fc.array(fc.tuple(anyEvent, pause), { maxLength: 30 }).map((events) => {
    let time = 1_760_000_000_000;
    return events.map(([event, ms]) => {
      time += ms ?? 0;
      return { ...event, sessionId, ...(ms !== null && { time }) };
    });
  });
}

/** A few sessions, each with its events in order. */
export const sessions: fc.Arbitrary<Written[][]> = fc.tuple(...['a', 'b', 'c', 'd'].map(session));

/** Numbers that {@link interleaved} takes its turns by. */
export const turns = fc.array(fc.nat(1000), { maxLength: 120 });

/** All items of the lists in one, each list's own in their order. */
export function interleaved<T>(lists: readonly (readonly T[])[], by: readonly number[]): T[] {
  const queues = lists.map((list) => [...list]);
  const merged: T[] = [];
  for (let i = 0; ; i += 1) {
    const waiting = queues.filter(({ length }) => length > 0);
    const next = waiting[(by[i] ?? i) % waiting.length]?.shift();
    if (next === undefined) return merged;
    merged.push(next);
  }
}

/** A list cut into pieces, some of them empty. */
export function cut<T>(list: readonly T[], at: readonly number[]): T[][] {
  const ends = [...at.map((place) => place % (list.length + 1)).toSorted((a, b) => a - b), list.length];
  return ends.map((end, i) => list.slice(ends[i - 1] ?? 0, end));
}
