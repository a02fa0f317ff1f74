import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms` or when the signal aborts, whichever is first; never rejects. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Rejects with `timeoutError()` when the promise has not settled after `ms`. */
export async function within<T>(promise: Promise<T>, ms: number, timeoutError: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError()), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits at most `ms` for the promise; rejects if the promise rejects within that time. */
export async function atMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const settled = new AbortController();
  try {
    await Promise.race([promise, delay(ms, settled.signal)]);
  } finally {
    settled.abort();
  }
}
