import type { DetectorId } from '@loopwatch/contract';
import type { Detection, SessionAnalyzer, SessionSnapshot } from '@loopwatch/detectors';

/** A session in memory. */
export interface SessionEntry extends SummaryState {
  readonly analyzer: SessionAnalyzer;
  readonly partition: EntryOwner;
  /** Offset of the last record that the kept snapshot knows of; -1 when nothing is kept. */
  coveredTo: number;
  /** Offset of the first record that it does not; -1 when it knows of all. */
  dirtySince: number;
  /** Number of the store's event at which the session was last used. */
  touched: number;
  /** Event time of its latest event that is a sign of life. */
  livedAt: number;
  older: SessionEntry | undefined;
  newer: SessionEntry | undefined;
}

/** The partition a session belongs to, as the store sees it. */
export interface EntryOwner {
  /** Newest credible event time seen, epoch ms. */
  readonly newestTime: number;
  remove(entry: SessionEntry): void;
  /** Collects summaries of its sessions, if wanted. */
  readonly summaries?: RemovalListener | undefined;
}

/** Notified of sessions that leave the store. */
export interface RemovalListener {
  /** The session has expired. */
  noteExpired(entry: SessionEntry): void;
  /** The session was freed before it expired. */
  noteEvicted(entry: SessionEntry): void;
  /** The session's state could not be trusted any more. */
  noteFault(entry: SessionEntry): void;
}

/** The store of all sessions, as a partition sees it. */
export interface EntryStore<Owner> {
  /** @param detection the settings by which the session is analyzed at first; default: the partition's */
  add(sessionId: string, partition: Owner, detection?: Detection): SessionEntry;
  /** Marks a session as used by the event at hand. */
  touch(entry: SessionEntry): void;
  /** Frees a session whose state cannot be trusted any more. */
  forget(entry: SessionEntry): void;
}

/**
 * What a session's summary needs beside what the session's analyzer knows. It lies in the session's entry itself, because
 * there is one for every session in memory.
 */
export interface SummaryState {
  /** Offset of its first event. */
  firstOffset: number;
  /** Event time of its first event, epoch ms. */
  startedAt: number;
  /** Event time of its latest summary, ms after the start; `null` when the next event needs one, as behind the end. */
  toldAt: number | null;
  /** Most sessions have nothing to be counted here. */
  tally: SessionTally | undefined;
}

export interface SessionTally {
  verdicts: number;
  /** Incidents ever opened. */
  readonly opened: Partial<Record<DetectorId, number>>;
  /** Ids of the checks that are recorded in the `checks` topic. */
  readonly checks: string[];
  /** How it went on, at its summaries behind the first: ms after the start, then events so far, in turn. */
  course: number[];
}

/** A session's state as it is stored. */
export interface StoredSession {
  readonly sessionId: string;
  /** Offset of the last record that the snapshot knows of. */
  readonly coveredTo: number;
  /** As the session's analyzer made it. */
  readonly snapshot: SessionSnapshot;
  /** What its summaries need. */
  readonly marks: Readonly<SummaryState>;
}
