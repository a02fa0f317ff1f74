import type { Detection, SessionAnalyzer } from '@loopwatch/detectors';
import type { EntryOwner, EntryStore, SessionEntry, StoredSession } from './session-entry.ts';
import type { SummaryCollector } from './session-summaries.ts';
import { copyMarks } from './session-summaries.ts';

/** What has to be stored so that the sessions can be rebuilt, and the offset from which records have to be replayed. */
export interface Checkpoint {
  readonly replayFrom: number;
  /** Sessions to store; the stored state of those gone from memory is to be deleted. */
  readonly snapshots: readonly (StoredSession & {
    readonly openIncidents: readonly string[];
    /** The settings by which it was analyzed. */
    readonly detection: Detection;
  })[];
  readonly forgotten: readonly string[];
}

/** The sessions of one partition, which are in order with respect to each other. */
export class PartitionSessions implements EntryOwner {
  /** Newest credible event time seen in the partition, epoch ms. */
  newestTime = 0;
  /** The server's settings for the next records; each session adopts them at its next event. */
  detection: Detection;
  /** Collects the sessions' summaries, where summaries are wanted. */
  readonly summaries: SummaryCollector | undefined;
  private readonly entries = new Map<string, SessionEntry>();
  /** Sessions with records that their snapshot does not know of, in the order of the first such record. */
  private readonly dirty = new Set<SessionEntry>();
  /** Sessions that took something which is in no record. */
  private readonly unrepeatable = new Set<SessionEntry>();
  /** Sessions gone from memory whose snapshots are still kept. */
  private readonly forgotten = new Set<string>();
  private readonly store: EntryStore<PartitionSessions>;

  constructor(store: EntryStore<PartitionSessions>, detection: Detection, summaries?: SummaryCollector) {
    this.store = store;
    this.detection = detection;
    this.summaries = summaries;
  }

  all(): Iterable<SessionEntry> {
    return this.entries.values();
  }

  add(entry: SessionEntry): void {
    this.entries.set(entry.analyzer.sessionId, entry);
  }

  remove(entry: SessionEntry): void {
    const { sessionId } = entry.analyzer;
    this.entries.delete(sessionId);
    this.dirty.delete(entry);
    this.unrepeatable.delete(entry);
    if (entry.coveredTo >= 0) this.forgotten.add(sessionId);
  }

  /** The session of this very analyzer, if it is still in memory. */
  entryOf(analyzer: SessionAnalyzer): SessionEntry | undefined {
    const entry = this.entries.get(analyzer.sessionId);
    return entry?.analyzer === analyzer ? entry : undefined;
  }

  /**
   * The session for the record at `offset`, new if it is not in memory; `undefined` when its snapshot knows of that record
   * already, which happens in a replay only.
   */
  use(sessionId: string, offset: number): SessionEntry | undefined {
    const entry = this.entries.get(sessionId) ?? this.store.add(sessionId, this);
    if (offset <= entry.coveredTo) return undefined;
    if (entry.dirtySince === -1) {
      entry.dirtySince = offset;
      this.dirty.add(entry);
    }
    this.store.touch(entry);
    const { analyzer } = entry;
    if (analyzer.detection !== this.detection) analyzer.adopt(this.detection);
    return entry;
  }

  /** The session restarts with its next event. */
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

  /** The session took something that no record repeats, such as a model's answer: its snapshot has to be kept. */
  noteUnrepeatable({ sessionId }: SessionAnalyzer): void {
    const entry = this.entries.get(sessionId);
    if (entry !== undefined) this.unrepeatable.add(entry);
  }

  /** A check of the session is recorded, which the session has to know to take the record away when its time is over. */
  noteCheck(sessionId: string, checkId: string): void {
    const entry = this.entries.get(sessionId);
    this.summaries?.noteCheck(entry, checkId);
    if (entry !== undefined) this.unrepeatable.add(entry);
  }

  /** Events from this offset on may be in no summary. */
  noteUnsummarized(offset: number): void {
    const { summaries } = this;
    if (summaries === undefined) return;
    const entries = [...this.all()].filter(({ analyzer }) => analyzer.lastPosition >= offset);
    entries.sort((a, b) => a.analyzer.lastPosition - b.analyzer.lastPosition);
    // The first of a session's untold events is not known; this is no later.
    for (const entry of entries) summaries.noteChanged(entry, offset);
  }

  /**
   * Takes back a session as it was kept. Its time does not count as the partition's: the replay may be far behind it, or
   * its clock be wrong, and the sessions that are replayed must not be thought idle for it.
   *
   * @param detection the settings it was analyzed by then
   */
  restore({ sessionId, coveredTo, snapshot, marks }: StoredSession, detection: Detection): void {
    const entry = this.entries.get(sessionId) ?? this.store.add(sessionId, this, detection);
    entry.analyzer.restore(snapshot);
    entry.coveredTo = coveredTo;
    Object.assign(entry, copyMarks(marks));
    entry.livedAt = snapshot.lastTime;
    this.store.touch(entry);
  }

  /**
   * What to keep when all records before `next` are processed: the sessions whose unkept records reach back more than
   * `reach` records, so that a replay is never longer, up to `most` of them.
   */
  checkpoint(next: number, reach: number, most: number): Checkpoint {
    const due = [...this.unrepeatable];
    this.unrepeatable.clear();
    for (const entry of this.dirty) {
      if (entry.dirtySince >= next - reach || due.length >= most) break;
      due.push(entry);
    }
    const kept = due.map((entry) => {
      entry.coveredTo = next - 1;
      entry.dirtySince = -1;
      this.dirty.delete(entry);
      const { sessionId, openIncidents, detection } = entry.analyzer;
      this.forgotten.delete(sessionId);
      return {
        sessionId,
        coveredTo: next - 1,
        snapshot: entry.analyzer.snapshot(),
        marks: copyMarks(entry),
        openIncidents,
        detection,
      };
    });
    const forgotten = [...this.forgotten];
    this.forgotten.clear();
    const [oldest] = this.dirty;
    return { replayFrom: oldest?.dirtySince ?? next, snapshots: kept, forgotten };
  }
}
