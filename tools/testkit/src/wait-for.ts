import { setTimeout as delay } from 'node:timers/promises';

/** How long to wait and what for. */
export interface WaitOptions {
  /** Milliseconds until it is given up. Default 10,000. */
  readonly timeoutMs?: number;
  /** What is waited for, or a function that says how far things are when the time is up. */
  readonly describe?: string | (() => string);
}

const pollMs = 10;

/**
 * Resolves with the condition's first value that is neither false, null nor undefined.
 *
 * @throws Error with what was waited for, once the time is up; whatever the condition throws, at once.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 10_000, describe = 'the condition' }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>;
    }
    if (Date.now() > deadline) {
      const what = typeof describe === 'string' ? describe : describe();
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    }
    await delay(pollMs);
  }
}
