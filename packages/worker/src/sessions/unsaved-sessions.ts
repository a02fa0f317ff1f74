import type { Detection } from '@loopwatch/detectors/internal';
import type { SessionEntry, StoredSession } from './entry.ts';
import { copySummary } from './summaries.ts';

/** What to store next, and the offset at which a replay has to start then. */
export interface Unsaved {
  readonly replayFrom: number;
  /** Sessions to store. The stored state of the `forgotten` ones is to be deleted. */
  readonly snapshots: readonly (StoredSession & {
    readonly openIncidents: readonly string[];
    /** The settings it was analyzed with. */
    readonly detection: Detection;
  })[];
  readonly forgotten: readonly string[];
}

/** Where the sessions of a partition differ from their stored snapshots. */
export class UnsavedSessions {
  /** Sessions with records that their snapshot does not cover, ordered by the first such record. */
  readonly #dirty = new Set<SessionEntry>();
  /** Sessions whose state includes input that no record holds. */
  readonly #unrepeatable = new Set<SessionEntry>();
  /** Sessions that are not in memory, but whose snapshots are still stored. */
  readonly #forgotten = new Set<string>();

  /** Those with records that their snapshot does not cover. */
  get dirty(): Iterable<SessionEntry> {
    return this.#dirty;
  }

  /** The session takes the record at `offset`. */
  noteRecord(entry: SessionEntry, offset: number): void {
    if (entry.dirtySince !== -1) return;
    entry.dirtySince = offset;
    this.#dirty.add(entry);
  }

  /** The records do not tell the session's state. */
  noteUnrepeatable(entry: SessionEntry): void {
    this.#unrepeatable.add(entry);
  }

  /** A session that is not in memory has a snapshot. */
  noteForgotten(sessionId: string): void {
    this.#forgotten.add(sessionId);
  }

  /** The session leaves memory. */
  remove(entry: SessionEntry): void {
    this.#dirty.delete(entry);
    this.#unrepeatable.delete(entry);
  }

  /**
   * What to store once all records before `next` are processed: at most `limit` sessions, those with unsaved records
   * more than `reach` records back, so that no replay is longer than that.
   */
  take(next: number, reach: number, limit: number): Unsaved {
    const due = [...this.#unrepeatable];
    this.#unrepeatable.clear();
    for (const entry of this.#dirty) {
      if (entry.dirtySince >= next - reach || due.length >= limit) break;
      due.push(entry);
    }
    const snapshots = due.map((entry) => {
      entry.coveredTo = next - 1;
      entry.dirtySince = -1;
      this.#dirty.delete(entry);
      const { sessionId, openIncidents, detection } = entry.analyzer;
      this.#forgotten.delete(sessionId);
      return {
        sessionId,
        coveredTo: next - 1,
        snapshot: entry.analyzer.snapshot(),
        summary: copySummary(entry),
        openIncidents,
        detection,
      };
    });
    const forgotten = [...this.#forgotten];
    this.#forgotten.clear();
    const [oldest] = this.#dirty;
    return { replayFrom: oldest?.dirtySince ?? next, snapshots, forgotten };
  }
}
