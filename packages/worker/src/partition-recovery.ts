import type { LogRecord } from '@loopwatch/log';
import type { PartitionPipeline, WideSettings } from '@loopwatch/pipeline';
import type { IncidentBook } from './incident-book.ts';
import { type KeptEntry, readKept } from './kept-state.ts';
import { SettingsHistory } from './settings-history.ts';

/** Kept state: the offset before which summaries have told of all events. */
export const TOLD_KEY = 'told';

/** What a new owner of a partition does before it processes records: takes back what was kept, and replays the rest. */
export class PartitionRecovery {
  /** The settings by which the partition's records are analyzed. */
  readonly history = new SettingsHistory();
  /** Of events at this offset and behind it, the owner before may not have told in summaries. */
  toldBefore = 0;
  /** Sessions that were kept under other settings, or by another version. */
  notRestored = 0;
  private readonly pipeline: PartitionPipeline;
  private readonly settings: WideSettings;
  private readonly incidents: IncidentBook;
  /** Sessions as they were kept, until the history of the settings is known as well. */
  private kept: KeptEntry[] = [];

  constructor(pipeline: PartitionPipeline, settings: WideSettings, incidents: IncidentBook) {
    this.pipeline = pipeline;
    this.settings = settings;
    this.incidents = incidents;
  }

  /** Takes an entry of the kept state. */
  restore(entry: { readonly key: string; readonly value: string }): void {
    if (entry.key === TOLD_KEY) {
      this.toldBefore = Number(entry.value);
      return;
    }
    if (this.history.restore(entry, (found) => this.settings.versionOf(found))) return;
    const kept = readKept(entry);
    if (kept === undefined) this.notRestored += 1;
    else this.kept.push(kept);
  }

  /** Goes through records again whose results are out. */
  async replay(records: readonly LogRecord[]): Promise<void> {
    this.restoreSessions();
    for (const { version, records: piece } of this.history.cut(records)) {
      this.pipeline.adopt(version.detection);
      for (const verdict of await this.pipeline.replay(piece)) {
        this.incidents.recall(verdict);
        this.incidents.noteActivity([verdict.incidentId], verdict.time);
      }
    }
  }

  /** Brings the sessions back that were kept; the last entry of the kept state has come. */
  restoreSessions(): void {
    for (const kept of this.kept.splice(0)) {
      const version = this.history.byHash(kept.settings);
      if (version === undefined) {
        this.notRestored += 1;
        continue;
      }
      this.pipeline.restore(kept, version.detection);
      for (const incident of kept.incidents) this.incidents.restore(incident);
      const ids = kept.incidents.map(({ id }) => id);
      this.incidents.noteActivity(ids, kept.snapshot.lastTime);
    }
  }
}
