import { type Detection, SessionAnalyzer } from '@loopwatch/detectors';
import type { EvictionReason, PipelineObserver } from './records.ts';

/** A session is freed for idleness only when this many events of others have come since its last: see {@link sweep}. */
const QUIET_EVENTS = 1024;
/** Sessions that one sweep looks at in vain. */
const SWEEP_STEPS = 256;

interface Entry {
  readonly analyzer: SessionAnalyzer;
  readonly partition: PartitionSessions;
  /** Number of the store's event at which the session was last used. */
  touched: number;
  older: Entry | undefined;
  newer: Entry | undefined;
}

export interface SessionStoreOptions {
  readonly detection: Detection;
  /** Sessions in memory, over all partitions. */
  readonly maxSessions: number;
  /** Event time, ms, after which a session starts afresh by its own next event. */
  readonly idleMs: number;
  readonly observer: Pick<PipelineObserver, 'evicted' | 'abandoned'>;
}

/**
 * All sessions in memory, bounded. One list holds them in the order of their last use: the least recently used goes
 * when there are too many, and at the end of each batch those go whose time is over, in event time.
 */
export class SessionStore {
  private readonly options: SessionStoreOptions;
  private readonly partitions = new Map<string, PartitionSessions>();
  private oldest: Entry | undefined;
  private newest: Entry | undefined;
  /** Where the next sweep goes on; at the oldest when there is none. */
  private swept: Entry | undefined;
  private events = 0;
  private entries = 0;

  constructor(options: SessionStoreOptions) {
    this.options = options;
  }

  get size(): number {
    return this.entries;
  }

  /** The sessions of one partition. */
  partition(topic: string, partition: number): PartitionSessions {
    const name = `${topic}/${String(partition)}`;
    let sessions = this.partitions.get(name);
    if (sessions === undefined) {
      sessions = new PartitionSessions(this);
      this.partitions.set(name, sessions);
    }
    return sessions;
  }

  /** Frees all sessions of a partition that now belongs to another worker. */
  dropPartition(topic: string, partition: number): void {
    const name = `${topic}/${String(partition)}`;
    const sessions = this.partitions.get(name);
    if (sessions === undefined) return;
    this.partitions.delete(name);
    for (const entry of [...sessions.entries.values()]) this.evict(entry, 'partition_lost');
  }

  /**
   * Frees the sessions whose last event lies more than twice the idle limit before the newest of their partition: they
   * would start afresh anyway. A single event with a wild clock must not empty the memory, so a session also has to
   * have been silent for a number of events. A sweep passes over sessions that are not idle, since a partition that
   * stands still, or a clock that is ahead, would hold up the others for ever; each goes on where the last one stopped.
   */
  sweep(): void {
    const limit = this.options.idleMs * 2;
    let entry = this.swept ?? this.oldest;
    let steps = 0;
    // Behind one that was used lately all were used even later.
    while (entry !== undefined && this.events - entry.touched > QUIET_EVENTS) {
      if (steps === SWEEP_STEPS) {
        this.swept = entry;
        return;
      }
      const { newer } = entry;
      if (entry.partition.newestTime - entry.analyzer.lastTime > limit) this.evict(entry, 'idle');
      else steps += 1;
      entry = newer;
    }
    this.swept = undefined;
  }

  /** Marks a session as used by the event at hand; a new one takes the place of the least recently used. */
  touch(entry: Entry): void {
    this.events += 1;
    entry.touched = this.events;
    if (entry === this.newest) return;
    this.unlink(entry);
    entry.older = this.newest;
    if (this.newest !== undefined) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  add(sessionId: string, partition: PartitionSessions): Entry {
    if (this.entries >= this.options.maxSessions && this.oldest !== undefined) this.evict(this.oldest, 'lru');
    const analyzer = new SessionAnalyzer(sessionId, this.options.detection);
    const entry: Entry = { analyzer, partition, touched: 0, older: undefined, newer: undefined };
    partition.entries.set(sessionId, entry);
    this.entries += 1;
    return entry;
  }

  /** Frees a session whose state cannot be trusted any more. */
  forget(entry: Entry): void {
    this.evict(entry, 'fault');
  }

  private evict(entry: Entry, reason: EvictionReason): void {
    this.unlink(entry);
    entry.partition.entries.delete(entry.analyzer.sessionId);
    this.entries -= 1;
    const { observer } = this.options;
    observer.evicted(reason);
    const open = entry.analyzer.openIncidents;
    if (open.length > 0) observer.abandoned(open);
  }

  private unlink(entry: Entry): void {
    const { older, newer } = entry;
    if (entry === this.swept) this.swept = newer;
    if (older !== undefined) older.newer = newer;
    else if (this.oldest === entry) this.oldest = newer;
    if (newer !== undefined) newer.older = older;
    else if (this.newest === entry) this.newest = older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}

/** The sessions of one partition, which are in order with respect to each other. */
export class PartitionSessions {
  readonly entries = new Map<string, Entry>();
  /** Newest credible event time seen in the partition, epoch ms. */
  newestTime = 0;
  private readonly store: SessionStore;

  constructor(store: SessionStore) {
    this.store = store;
  }

  /** Whether this very analyzer is still the session's. */
  holds(analyzer: SessionAnalyzer): boolean {
    return this.entries.get(analyzer.sessionId)?.analyzer === analyzer;
  }

  /** The session's analyzer, new if it is not in memory. */
  use(sessionId: string): SessionAnalyzer {
    const entry = this.entries.get(sessionId) ?? this.store.add(sessionId, this);
    this.store.touch(entry);
    return entry.analyzer;
  }

  /** The session starts afresh with its next event. */
  forget(sessionId: string): void {
    const entry = this.entries.get(sessionId);
    if (entry !== undefined) this.store.forget(entry);
  }

  /**
   * To be called after each event, with the session that took it and the record's timestamp. An event that claims to
   * be newer than its record has a clock that is wrong, and others must not be thought idle for it.
   */
  noteTime({ lastTime }: SessionAnalyzer, timestamp: number | null): void {
    const known = timestamp !== null && timestamp > 0;
    const time = known ? Math.min(lastTime, timestamp) : lastTime;
    if (time > this.newestTime) this.newestTime = time;
  }
}
