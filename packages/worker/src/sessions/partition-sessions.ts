import type { Verdict } from '@loopwatch/contract';
import type { Detection, SessionAnalyzer } from '@loopwatch/detectors/internal';
import type { TopicPartition } from '../records.ts';
import type { EntryOwner, EntryStore, SessionEntry, StoredSession } from './entry.ts';
import { copySummary, type SummaryCollector } from './summaries.ts';
import { type Unsaved, UnsavedSessions } from './unsaved-sessions.ts';

/** The state to store so that sessions can be rebuilt, and the offset at which the replay has to start. */
export interface Checkpoint extends Unsaved {
  /** The offset from which a replay rebuilds all sessions without stored state, as far back as that is worthwhile. */
  readonly rebuildFrom: number;
}

/** Stored sessions that are restored when they are needed, or later. */
export interface StoredSessions {
  readonly isEmpty: boolean;
  /** Restores this session, if it is one of them. */
  restore(sessionId: string): void;
}

/** How far before the usual start of a replay sessions are rebuilt, in records: some ten seconds of work, once. */
export const MAX_REBUILD_RECORDS = 1_000_000;
/** The first event of all sessions is looked for once in so many records. */
const RECORDS_BETWEEN_SEARCHES = 10_000;

/** The sessions of one partition, whose events are ordered relative to each other. */
export class PartitionSessions implements EntryOwner {
  readonly topicPartition: TopicPartition;
  /** Newest credible event time seen in the partition, epoch ms. */
  newestTime = 0;
  /** The server's settings for the next records; each session adopts them at its next event. */
  detection: Detection;
  /** Collects the sessions' summaries, if enabled. */
  readonly summaries: SummaryCollector | undefined;
  readonly #entries = new Map<string, SessionEntry>();
  readonly #unsaved = new UnsavedSessions();
  /** Whether to rebuild a session from its records. */
  #isRebuilt: (sessionId: string) => boolean = () => false;
  /** Whether a session that is rebuilt has a snapshot nevertheless. */
  #hasOutdated: (sessionId: string) => boolean = () => false;
  /** Records before this offset belong to them alone. */
  #rebuiltTo = 0;
  readonly #store: EntryStore<PartitionSessions>;
  /** Those that are not restored yet. */
  stored: StoredSessions | undefined;
  /** No session's first event is before it; as of the record at `#searchedAt`. */
  #firstOffset = 0;
  #searchedAt = 0;

  constructor(
    topicPartition: TopicPartition,
    store: EntryStore<PartitionSessions>,
    detection: Detection,
    summaries?: SummaryCollector,
  ) {
    this.topicPartition = topicPartition;
    this.#store = store;
    this.detection = detection;
    this.summaries = summaries;
  }

  all(): Iterable<SessionEntry> {
    return this.#entries.values();
  }

  /** Those with records that their snapshot does not cover. */
  unsaved(): Iterable<SessionEntry> {
    return this.#unsaved.dirty;
  }

  add(entry: SessionEntry): void {
    this.#entries.set(entry.analyzer.sessionId, entry);
  }

  remove(entry: SessionEntry): void {
    const { sessionId } = entry.analyzer;
    this.#entries.delete(sessionId);
    this.#unsaved.remove(entry);
    if (entry.coveredTo >= 0 || this.#hasOutdated(sessionId)) this.#unsaved.noteForgotten(sessionId);
  }

  /** The session that holds this analyzer instance, if it is still in memory. */
  entryOf(analyzer: SessionAnalyzer): SessionEntry | undefined {
    const entry = this.#entries.get(analyzer.sessionId);
    return entry?.analyzer === analyzer ? entry : undefined;
  }

  /**
   * The session for the record at `offset`, created if it is not in memory; `undefined` if its snapshot already
   * covers that record, which happens only during a replay.
   */
  use(sessionId: string, offset: number): SessionEntry | undefined {
    if (offset < this.#rebuiltTo && !this.#isRebuilt(sessionId)) return undefined;
    const entry = this.#find(sessionId) ?? this.#store.add(sessionId, this);
    if (offset <= entry.coveredTo) return undefined;
    this.#unsaved.noteRecord(entry, offset);
    this.#store.touch(entry);
    const { analyzer } = entry;
    if (analyzer.detection !== this.detection) analyzer.adopt(this.detection);
    return entry;
  }

  /** The session restarts with its next event, unless its snapshot covers the record at `offset`. */
  forget(sessionId: string, offset: number): void {
    const entry = this.#find(sessionId);
    if (entry !== undefined && entry.coveredTo < offset) this.#store.forget(entry);
  }

  /** Forgets a session for good: only later events may begin it again, and nothing that it summarized is published. */
  erase(sessionId: string, offset: number): void {
    const entry = this.#find(sessionId);
    // A snapshot that covers the erasure is of the session that began after it.
    if (entry !== undefined && entry.coveredTo >= offset) return;
    if (entry !== undefined) this.#store.forget(entry, 'erased');
    this.summaries?.noteErased(sessionId, entry?.tally?.checks);
  }

  /**
   * Call after each event, with the session that processed it and the record's timestamp. An event that claims to be
   * newer than its record comes from a wrong clock, which must not make other sessions look idle.
   */
  noteTime({ lastTime }: SessionAnalyzer, timestamp: number | null): void {
    const known = timestamp !== null && timestamp > 0;
    const time = known ? Math.min(lastTime, timestamp) : lastTime;
    if (time > this.newestTime) this.newestTime = time;
  }

  /**
   * Notes that the records do not tell the session's state: it received input that none of them holds, such as a model's
   * answer, or one of them was left out. So its snapshot must be stored.
   */
  noteUnrepeatable(sessionId: string): void {
    const entry = this.#find(sessionId);
    if (entry !== undefined) this.#unsaved.noteUnrepeatable(entry);
  }

  /**
   * Notes that a session's check was recorded, for the next {@link checkpoint}; the session needs its id to delete the
   * record once it expires.
   */
  noteCheck(sessionId: string, checkId: string): void {
    const entry = this.#find(sessionId);
    this.summaries?.noteCheck(entry, checkId);
    if (entry !== undefined) this.#unsaved.noteUnrepeatable(entry);
  }

  /** Notes that summaries may lack events at or after this offset. Call after the replay. */
  noteUnsummarized(offset: number): void {
    const { summaries } = this;
    if (summaries === undefined) return;
    const entries = [...this.all()].filter(({ analyzer }) => analyzer.lastPosition >= offset);
    entries.sort((a, b) => a.analyzer.lastPosition - b.analyzer.lastPosition);
    // The first unsummarized event of each session is unknown, but it is not before this offset.
    for (const entry of entries) summaries.noteChanged(entry, offset);
  }

  /**
   * Restores a stored session; call before the replay, or before the session's next event. Its time does not advance the partition's time: the replay may be far behind it, or
   * its clock may be wrong, and neither must make replayed sessions look idle.
   *
   * @param detection the settings it was analyzed with when it was stored
   */
  restore({ sessionId, coveredTo, snapshot, summary }: StoredSession, detection: Detection): SessionEntry {
    const entry = this.#entries.get(sessionId) ?? this.#store.add(sessionId, this, detection);
    entry.analyzer.restore(snapshot);
    entry.coveredTo = coveredTo;
    Object.assign(entry, copySummary(summary));
    entry.livedAt = snapshot.lastTime;
    this.#store.place(entry);
    return entry;
  }

  #find(sessionId: string): SessionEntry | undefined {
    const known = this.#entries.get(sessionId);
    if (known !== undefined || this.stored === undefined) return known;
    this.stored.restore(sessionId);
    return this.#entries.get(sessionId);
  }

  /**
   * Rebuilds sessions whose snapshots cannot be restored, in the replay that follows. Their records before `to` are
   * analyzed again; all other sessions skip such records.
   *
   * @param hasOutdated whether a session's snapshot is to be deleted if the session is evicted
   */
  rebuild(
    isRebuilt: (sessionId: string) => boolean,
    to: number,
    hasOutdated: (sessionId: string) => boolean = isRebuilt,
  ): void {
    this.#isRebuilt = isRebuilt;
    this.#rebuiltTo = to;
    this.#hasOutdated = hasOutdated;
  }

  /** `undefined` if the session is not in memory. */
  openIncidentsOf(sessionId: string): readonly string[] | undefined {
    return this.#find(sessionId)?.analyzer.openIncidents;
  }

  /** Stores the session with the next step, or deletes its snapshot if it is not in memory. */
  storeNext(sessionId: string): void {
    const entry = this.#find(sessionId);
    if (entry === undefined) this.#unsaved.noteForgotten(sessionId);
    else this.#unsaved.noteUnrepeatable(entry);
  }

  /**
   * What to store once all records before `next` are processed: at most `limit` sessions, those with unsaved records
   * more than `reach` records back, so that no replay is longer than that.
   */
  checkpoint(next: number, reach: number, limit: number): Checkpoint {
    const unsaved = this.#unsaved.take(next, reach, limit);
    return { ...unsaved, rebuildFrom: this.#rebuildFrom(next, unsaved.replayFrom) };
  }

  /** Call before the replay. @param first offset of the first event of all sessions that may be restored */
  begin(first: number, next: number): void {
    this.#firstOffset = first;
    this.#searchedAt = next;
  }

  #rebuildFrom(next: number, replayFrom: number): number {
    if (next >= this.#searchedAt + RECORDS_BETWEEN_SEARCHES && this.stored?.isEmpty !== false) {
      let first = next;
      for (const { firstOffset, dirtySince } of this.#entries.values()) {
        const known = firstOffset >= 0 ? firstOffset : dirtySince;
        first = Math.min(first, known >= 0 ? known : this.#firstOffset);
      }
      this.#firstOffset = first;
      this.#searchedAt = next;
    }
    return Math.min(replayFrom, Math.max(this.#firstOffset, next - MAX_REBUILD_RECORDS));
  }

  /** The position of a verdict's events in the log. @param origin offset of the loop's first event, if known */
  sourceOf(offset: number, origin = offset): Verdict['source'] {
    const { topic, partition } = this.topicPartition;
    return { topic, partition, firstOffset: String(origin), offset: String(offset) };
  }
}
