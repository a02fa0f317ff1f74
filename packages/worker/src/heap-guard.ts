import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, type HeapInfo } from 'node:v8';
import type { Logger } from 'pino';

/** Share of the heap limit that may be in use; the rest is for the current batch and garbage collection. */
const MAX_HEAP_SHARE = 0.75;
/** Share of the sessions evicted at a time: how much that frees is known only after the next collection. */
const EVICTED_SHARE = 0.1;
const LOG_INTERVAL_MS = 60_000;

export interface HeapGuardDeps {
  readonly sessions: () => number;
  /** Evicts this many of the least recently used sessions. */
  readonly free: (sessions: number) => void;
  readonly logger: Logger;
  readonly monotonic: () => number;
}

/**
 * Evicts the least recently used sessions before the heap is full, since Node would then abort the process. Heap use is
 * measured after each full garbage collection.
 */
export class HeapGuard {
  readonly #deps: HeapGuardDeps;
  readonly #observer: PerformanceObserver;
  #loggedAt: number | undefined;

  constructor(deps: HeapGuardDeps) {
    this.#deps = deps;
    this.#observer = new PerformanceObserver((list) => {
      if (list.getEntries().some(isFullCollection)) this.check();
    });
  }

  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#observer.disconnect();
  }

  check(heap: Pick<HeapInfo, 'used_heap_size' | 'heap_size_limit'> = getHeapStatistics()): void {
    const { used_heap_size: used, heap_size_limit: limit } = heap;
    const { sessions, free, logger, monotonic } = this.#deps;
    if (used < limit * MAX_HEAP_SHARE) return;
    const freed = Math.ceil(sessions() * EVICTED_SHARE);
    if (freed === 0) return;
    free(freed);
    const now = monotonic();
    if (this.#loggedAt !== undefined && now - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = now;
    const mib = (bytes: number) => String(Math.round(bytes / 2 ** 20));
    logger.warn(
      { freed, left: sessions(), usedMiB: mib(used), limitMiB: mib(limit) },
      `Heap nearly full (${mib(used)} of ${mib(limit)} MiB): evicted the ${String(freed)} least recently used sessions ` +
        `(${String(sessions())} left). Give the process more memory (NODE_OPTIONS=--max-old-space-size=MIB), or run more workers.`,
    );
  }
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
