import { type Detection, SessionAnalyzer } from '@loopwatch/detectors/internal';
import type { EvictionReason, PipelineObserver, TopicPartition } from '../records.ts';
import type { EntryStore, SessionEntry } from './entry.ts';
import { PartitionSessions } from './partition-sessions.ts';
import { SummaryCollector } from './summaries.ts';

/** A session counts as idle only after this many events of other sessions since its last: see {@link sweep}. */
const QUIET_EVENTS = 1024;
/** Non-idle sessions that one sweep may inspect. */
const SWEEP_STEPS = 256;

export interface SessionStoreOptions {
  readonly detection: Detection;
  /** Sessions in memory, over all partitions. */
  readonly maxSessions: number;
  /** Event time, ms, after which a session's next event restarts it. */
  readonly idleMs: number;
  readonly observer: Pick<PipelineObserver, 'evicted' | 'abandoned'>;
  /** Whether to collect session summaries, which must be drained regularly. Default: no. */
  readonly summaries?: boolean;
}

/**
 * All sessions in memory, bounded, in one list ordered by last use. When there are too many, the least recently used
 * is evicted; at the end of each batch, sessions that expired in event time are freed.
 */
export class SessionStore implements EntryStore<PartitionSessions> {
  readonly #options: SessionStoreOptions;
  #oldest: SessionEntry | undefined;
  #newest: SessionEntry | undefined;
  /** Where the next sweep continues; undefined: at the oldest. */
  #swept: SessionEntry | undefined;
  #events = 0;
  #entries = 0;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries;
  }

  /** Opens a partition without any sessions. */
  open(topicPartition: TopicPartition): PartitionSessions {
    const summaries = this.#options.summaries === true ? new SummaryCollector(topicPartition) : undefined;
    return new PartitionSessions(topicPartition, this, this.#options.detection, summaries);
  }

  /** Frees all sessions of a revoked partition. */
  close(sessions: PartitionSessions): void {
    for (const entry of [...sessions.all()]) this.#evict(entry, 'partition_lost');
  }

  /**
   * Frees the sessions whose last event is more than twice the idle limit older than the newest event of their
   * partition: they would restart anyway. A single event with a wrong clock must not empty the memory, so a session
   * must also have been silent for a number of events. A sweep skips sessions that are not idle, since a stalled
   * partition or a clock that is ahead would otherwise block the rest forever. Each sweep continues where the last
   * one stopped.
   */
  sweep(): void {
    const limit = this.#options.idleMs * 2;
    let entry = this.#swept ?? this.#oldest;
    let steps = 0;
    // The list is ordered by use: all sessions after a recently used one were used even more recently.
    while (entry !== undefined && this.#events - entry.touched > QUIET_EVENTS) {
      if (steps === SWEEP_STEPS) {
        this.#swept = entry;
        return;
      }
      const { newer } = entry;
      if (entry.partition.newestTime - entry.analyzer.lastTime > limit) this.#evict(entry, 'idle');
      else steps += 1;
      entry = newer;
    }
    this.#swept = undefined;
  }

  /** Frees this many of the least recently used sessions. */
  free(sessions: number): void {
    for (let freed = 0; freed < sessions && this.#oldest !== undefined; freed += 1)
      this.#evict(this.#oldest, 'lru');
  }

  /** Marks a session as used by the current event; a new one may evict the least recently used. */
  touch(entry: SessionEntry): void {
    this.#events += 1;
    entry.touched = this.#events;
    if (entry === this.#newest) return;
    this.#unlink(entry);
    entry.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  /** Notes a restored session as used before all that are in memory: it may be restored long after their latest events. */
  place(entry: SessionEntry): void {
    entry.touched = this.#events;
    this.#unlink(entry);
    entry.newer = this.#oldest;
    if (this.#oldest !== undefined) this.#oldest.older = entry;
    this.#oldest = entry;
    this.#newest ??= entry;
  }

  /** @param detection the settings the session starts with */
  add(sessionId: string, partition: PartitionSessions, detection = partition.detection): SessionEntry {
    if (this.#entries >= this.#options.maxSessions && this.#oldest !== undefined)
      this.#evict(this.#oldest, 'lru');
    const analyzer = new SessionAnalyzer(sessionId, detection);
    // A literal with all fields: objects assembled from parts would each get their own hidden class, several hundred
    // bytes each.
    const entry: SessionEntry = {
      analyzer,
      partition,
      coveredTo: -1,
      dirtySince: -1,
      touched: 0,
      older: undefined,
      newer: undefined,
      firstOffset: -1,
      startedAt: 0,
      summarizedAt: null,
      livedAt: 0,
      tally: undefined,
    };
    partition.add(entry);
    this.#entries += 1;
    return entry;
  }

  /** Frees a session whose state became unreliable, or that was erased. */
  forget(entry: SessionEntry, reason: 'fault' | 'erased' = 'fault'): void {
    this.#evict(entry, reason);
  }

  #evict(entry: SessionEntry, reason: EvictionReason): void {
    this.#unlink(entry);
    entry.partition.remove(entry);
    const { summaries } = entry.partition;
    if (isExpired(entry, reason)) summaries?.noteExpired(entry);
    else if (reason === 'lru') summaries?.noteEvicted(entry);
    else summaries?.noteFault(entry);
    this.#entries -= 1;
    const { observer } = this.#options;
    observer.evicted(reason);
    const open = entry.analyzer.openIncidents;
    if (open.length > 0) observer.abandoned(open);
  }

  #unlink(entry: SessionEntry): void {
    const { older, newer } = entry;
    if (entry === this.#swept) this.#swept = newer;
    if (older !== undefined) older.newer = newer;
    else if (this.#oldest === entry) this.#oldest = newer;
    if (newer !== undefined) newer.older = older;
    else if (this.#newest === entry) this.#newest = older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}

/** Whether the session is over. A session evicted for lack of memory is over only if it has ended. */
function isExpired({ summarizedAt }: SessionEntry, reason: EvictionReason): boolean {
  return reason === 'idle' || (reason === 'lru' && summarizedAt === null);
}
