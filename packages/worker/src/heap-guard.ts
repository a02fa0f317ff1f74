import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, type HeapInfo } from 'node:v8';
import type { Logger } from 'pino';

/** Of the heap's limit, what may be in use: the rest is for the batch at hand and for collecting garbage. */
const FULL = 0.75;
/** Of the sessions, how many go at a time: what they free is known only after the next collection. */
const FREED = 0.1;
const SAID_EVERY_MS = 60_000;

export interface HeapGuardDeps {
  readonly sessions: () => number;
  /** Frees so many of the least recently used sessions. */
  readonly free: (sessions: number) => void;
  readonly logger: Logger;
  readonly monotonic: () => number;
}

/**
 * Frees the least recently used sessions before the heap is full, since Node ends a process whose heap is. How much is
 * in use is known after a full garbage collection.
 */
export class HeapGuard {
  private readonly deps: HeapGuardDeps;
  private readonly observer: PerformanceObserver;
  private saidAt: number | undefined;

  constructor(deps: HeapGuardDeps) {
    this.deps = deps;
    this.observer = new PerformanceObserver((list) => {
      if (list.getEntries().some(isFullCollection)) this.look();
    });
  }

  start(): void {
    this.observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.observer.disconnect();
  }

  look(heap: Pick<HeapInfo, 'used_heap_size' | 'heap_size_limit'> = getHeapStatistics()): void {
    const { used_heap_size: used, heap_size_limit: limit } = heap;
    const { sessions, free, logger, monotonic } = this.deps;
    if (used < limit * FULL) return;
    const freed = Math.ceil(sessions() * FREED);
    if (freed === 0) return;
    free(freed);
    const now = monotonic();
    if (this.saidAt !== undefined && now - this.saidAt < SAID_EVERY_MS) return;
    this.saidAt = now;
    const mib = (bytes: number) => String(Math.round(bytes / 2 ** 20));
    logger.warn(
      { freed, left: sessions(), usedMiB: mib(used), limitMiB: mib(limit) },
      `Too many live sessions for the memory: ${mib(used)} of ${mib(limit)} MiB of heap are in use, so the ${String(freed)} ` +
        `least recently used sessions were evicted (${String(sessions())} left). Give the process more memory ` +
        '(NODE_OPTIONS=--max-old-space-size=MIB), or run more workers.',
    );
  }
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
