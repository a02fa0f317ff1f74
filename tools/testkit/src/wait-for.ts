import { setTimeout as delay } from 'node:timers/promises';

/** Timeout and description of a condition. */
export interface WaitOptions {
  /** Timeout in milliseconds. Default 180,000. */
  readonly timeoutMs?: number;
  /** Describes the condition in the timeout error; a function is called at the timeout. */
  readonly describe?: string | (() => string);
}

/** Many times what anything takes, also on a busy machine. */
export const DEFAULT_TIMEOUT_MS = 180_000;

/** The first pauses, and the longest: what answers a condition is often a server, which should rather do its work. */
const POLL_MS = { least: 10, most: 100 };

/**
 * Resolves with the condition's first value that is neither false, null nor undefined.
 *
 * @throws Error with the description on timeout; errors of the condition are passed on at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, describe = 'the condition' }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const start = Date.now();
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>;
    }
    const waited = Date.now() - start;
    if (waited > timeoutMs) {
      const what = typeof describe === 'string' ? describe : describe();
      throw new Error(`waited ${timeoutMs} ms for ${what}`);
    }
    await delay(Math.min(POLL_MS.most, Math.max(POLL_MS.least, waited / 10)));
  }
}
