import { setTimeout as delay } from 'node:timers/promises';

/** Timeout and description of a condition. */
export interface WaitOptions {
  /** Timeout in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /** Describes the condition in the timeout error; a function is called at the timeout. */
  readonly describe?: string | (() => string);
}

const POLL_MS = 10;

/**
 * Resolves with the condition's first value that is neither false, null nor undefined.
 *
 * @throws Error with the description on timeout; errors of the condition are passed on at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 60_000, describe = 'the condition' }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>;
    }
    if (Date.now() > deadline) {
      const what = typeof describe === 'string' ? describe : describe();
      throw new Error(`waited ${timeoutMs} ms for ${what}`);
    }
    await delay(POLL_MS);
  }
}
