import type { LiveSettings } from '@loopwatch/detectors';
import type { LogRecord } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import {
  readSnapshot,
  SettingsHistory,
  type StateEntry,
  type StoredSnapshot,
  SUMMARIZED_KEY,
} from './state.ts';

export interface PartitionRecoveryDeps {
  readonly settings: LiveSettings;
  readonly incidents: IncidentMetrics;
  readonly logger: Logger;
}

/** What a new owner of a partition does before it processes records: restores the stored state, and replays the rest. */
export class PartitionRecovery {
  /** The settings that the partition's records are analyzed with, by offset. */
  readonly history = new SettingsHistory();
  /** The previous owner may not have published summaries of records at or after this offset. */
  summarizedTo = 0;
  readonly #pipeline: PartitionPipeline;
  readonly #deps: PartitionRecoveryDeps;
  /** Sessions whose snapshot has other settings or another version. */
  #ignoredSnapshots = 0;
  /** Snapshots that wait until the settings history is complete. */
  #snapshots: StoredSnapshot[] = [];

  constructor(pipeline: PartitionPipeline, deps: PartitionRecoveryDeps) {
    this.#pipeline = pipeline;
    this.#deps = deps;
  }

  /** Loads one entry of the stored state. */
  restore(entry: StateEntry): void {
    if (entry.key === SUMMARIZED_KEY) {
      this.summarizedTo = Number(entry.value);
      return;
    }
    if (this.history.restore(entry, (found) => this.#deps.settings.versionOf(found))) return;
    const snapshot = readSnapshot(entry);
    if (snapshot === undefined) this.#ignoredSnapshots += 1;
    else this.#snapshots.push(snapshot);
  }

  /** Analyzes records whose results are committed already. */
  async replay(records: readonly LogRecord[]): Promise<void> {
    this.#restoreSessions();
    for (const { version, records: piece } of this.history.split(records)) {
      this.#pipeline.sessions.detection = version.detection;
      for (const verdict of await this.#pipeline.replay(piece)) {
        this.#deps.incidents.replay(verdict);
        this.#deps.incidents.noteActivity([verdict.incidentId], verdict.time);
      }
    }
  }

  /** Call after the last entry and the last record. */
  finish(): void {
    this.#restoreSessions();
    if (this.#ignoredSnapshots === 0) return;
    this.#deps.logger.warn(
      { ...this.#pipeline.sessions.topicPartition, sessions: this.#ignoredSnapshots },
      'Ignored session snapshots of another version; these sessions restart where the replay began',
    );
  }

  #restoreSessions(): void {
    const { incidents } = this.#deps;
    for (const stored of this.#snapshots.splice(0)) {
      const version = this.history.byHash(stored.settings);
      if (version === undefined) {
        this.#ignoredSnapshots += 1;
        continue;
      }
      this.#pipeline.sessions.restore(stored, version.detection);
      for (const incident of stored.incidents) incidents.restore(incident);
      const ids = stored.incidents.map(({ id }) => id);
      incidents.noteActivity(ids, stored.snapshot.lastTime);
    }
  }
}
