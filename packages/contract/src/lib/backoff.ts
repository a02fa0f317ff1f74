/**
 * Milliseconds to wait before retry `attempt` (from 0): doubles from `firstMs` up to `maxMs`. Up to half of it is left out at
 * random, so that processes that failed together do not retry together.
 */
export function backoff(
  attempt: number,
  firstMs: number,
  maxMs: number,
  random: () => number = Math.random,
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30)) * (1 - random() / 2);
}
