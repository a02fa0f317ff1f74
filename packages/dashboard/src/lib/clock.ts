import { useSyncExternalStore } from 'react';

/** One ticking clock for all relative times. It follows the server's, since the local one may be wrong. */
const listeners = new Set<() => void>();
let offset = 0;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = serverNow();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** @param serverTime the server's current time, epoch ms */
export function followServer(serverTime: number): void {
  offset = serverTime - Date.now();
  tick();
}

/** The server's wall clock, epoch ms; for event handlers. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** The server's wall clock, updated every second; for rendering. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Two seconds, since merging whole lists is expensive. */
const COARSE_MS = 2_000;

/** The server's wall clock in coarse steps, to notice that something became quiet. */
export function useCoarseNow(): number {
  return useSyncExternalStore(subscribe, () => now - (now % COARSE_MS));
}
