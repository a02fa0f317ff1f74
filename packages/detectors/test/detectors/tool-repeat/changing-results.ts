import type { AgentEvent } from '@loopwatch/contract';

/** Tokens that look random, the same ones in each run. */
export function token(seed: number, alphabet: string, length: number): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return alphabet.charAt((state >>> 8) % alphabet.length);
  }).join('');
}
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LOWER = `${DIGITS}abcdefghijkmnpqrstuvwxyz`;
const MIXED = `${LOWER}ABCDEFGHJKLMNPQRSTUVWXYZ`;
export const hex = (i: number, length = 12) => `${token(i, HEX, length - 2)}${String(i % 10)}e`;
export const low = (i: number, length = 8) => `${token(i, LOWER, length - 2)}${String(i % 10)}x`;
export const mixed = (i: number, length = 20) => `${token(i, MIXED, length - 3)}${String(i % 10)}aZ`;

/** A list that begins at another place. */
export const turned = (list: readonly string[], i: number) => list.map((_, n) => list[(n + i) % list.length]);

/** A tool, its arguments, and what its result brings at each call. */
export type Case = readonly [
  title: string,
  name: string,
  args: Record<string, unknown>,
  result: (i: number) => unknown,
  isError?: boolean | undefined,
];

/** The same call again and again, with the results of a case. */
export function events([, name, args, result, isError]: Case, count: number): AgentEvent[] {
  return Array.from({ length: count }, (_, i): AgentEvent[] => [
    { type: 'turn_started' },
    { type: 'tool_call_request', callId: `c${String(i)}`, name, args },
    { type: 'turn_finished' },
    {
      type: 'tool_result',
      callId: `c${String(i)}`,
      result: result(i),
      ...(isError !== undefined && { isError }),
    },
  ]).flat();
}
