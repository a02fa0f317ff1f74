import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or until the signal is aborted; never rejects. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** The promise, or a rejection with what `late` gives once `ms` have passed. */
export async function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the promise, but no longer than this; rejects as it does where that is in time. */
export async function atMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const settled = new AbortController();
  try {
    await Promise.race([promise, delay(ms, settled.signal)]);
  } finally {
    settled.abort();
  }
}

/** Waiting time before try number `attempt` (from 0): doubles from `firstMs` up to `mostMs`. */
export function backoff(attempt: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
}
