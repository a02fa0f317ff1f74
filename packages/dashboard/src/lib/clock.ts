import { useSyncExternalStore } from 'react';

/** One ticking clock for all relative times; it follows the server's, so that a wrong local clock does no harm. */
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

/** @param serverTime what the server's clock says at this moment, epoch ms */
export function followServer(serverTime: number): void {
  offset = serverTime - Date.now();
  tick();
}

/** The server's wall clock, epoch ms; for event handlers. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** The server's wall clock, a second fresh; for rendering. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Two seconds: what is laid over whole lists is not worth more. */
const COARSE_MS = 2_000;

/** The server's wall clock in coarse steps; for what has to notice that something has gone quiet. */
export function useCoarseNow(): number {
  return useSyncExternalStore(subscribe, () => now - (now % COARSE_MS));
}
