import type { DetectorId } from '@loopwatch/contract';
import type { SessionSnapshot } from '@loopwatch/detectors';
import type { Detection, SessionAnalyzer } from '@loopwatch/detectors/internal';

/** A session in memory. */
export interface SessionEntry extends SummaryState {
  readonly analyzer: SessionAnalyzer;
  readonly partition: EntryOwner;
  /** Offset of the last record that the stored snapshot covers; -1 if nothing is stored. */
  coveredTo: number;
  /** Offset of the first record that it does not cover; -1 if it covers all. */
  dirtySince: number;
  /** The store's event count when the session was last used. */
  touched: number;
  /** Event time of its latest event that counts as activity. */
  livedAt: number;
  older: SessionEntry | undefined;
  newer: SessionEntry | undefined;
}

/** The store's view of the partition that a session belongs to. */
export interface EntryOwner {
  /** Newest credible event time seen, epoch ms. */
  readonly newestTime: number;
  remove(entry: SessionEntry): void;
  /** Collects summaries of its sessions, if enabled. */
  readonly summaries?: RemovalListener | undefined;
}

/** Notified of sessions that leave the store. */
export interface RemovalListener {
  /** The session has expired. */
  noteExpired(entry: SessionEntry): void;
  /** The session was freed before it expired. */
  noteEvicted(entry: SessionEntry): void;
  /** The session's state became unreliable. */
  noteFault(entry: SessionEntry): void;
}

/** A partition's view of the store of all sessions. */
export interface EntryStore<Owner> {
  /** @param detection the settings the session starts with; default: the partition's */
  add(sessionId: string, partition: Owner, detection?: Detection): SessionEntry;
  /** Marks a session as used by the current event. */
  touch(entry: SessionEntry): void;
  /** Notes a restored session as used before all that are in memory. */
  place(entry: SessionEntry): void;
  /** Frees a session whose state became unreliable, or that was erased. */
  forget(entry: SessionEntry, reason?: 'fault' | 'erased'): void;
}

/**
 * What a session's summary needs beyond the analyzer's state. These fields are part of the session's entry, because
 * every session in memory has them.
 */
export interface SummaryState {
  /** Offset of its first event. */
  firstOffset: number;
  /** Event time of its first event, epoch ms. */
  startedAt: number;
  /**
   * Event time of its latest summary, ms after the start; `null` if the next event needs one, as after the session
   * ended.
   */
  summarizedAt: number | null;
  /** Undefined for most sessions, which have nothing to count. */
  tally: SessionTally | undefined;
}

export interface SessionTally {
  verdicts: number;
  /** Incidents ever opened. */
  readonly opened: Partial<Record<DetectorId, number>>;
  /** Ids of the checks that are recorded in the `checks` topic. */
  readonly checks: string[];
  /** Progress samples, one per summary after the first: ms after the start and events so far, alternating. */
  progress: number[];
}

/** A session's stored state. */
export interface StoredSession {
  readonly sessionId: string;
  /** Offset of the last record that the snapshot covers. */
  readonly coveredTo: number;
  /** Created by the session's analyzer. */
  readonly snapshot: SessionSnapshot;
  /** State for its summaries. */
  readonly summary: Readonly<SummaryState>;
}
