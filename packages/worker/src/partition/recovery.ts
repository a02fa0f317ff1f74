import { happenedAt } from '@loopwatch/contract';
import type { LiveSettings } from '@loopwatch/detectors';
import type { LogRecord } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import { type EndedIncident, OutdatedSessions } from './outdated-sessions.ts';
import {
  readOutdated,
  readSnapshot,
  SettingsHistory,
  type StateEntry,
  SUMMARIZED_KEY,
  sessionOf,
} from './state.ts';

export interface PartitionRecoveryDeps {
  readonly settings: LiveSettings;
  readonly incidents: IncidentMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Sessions that are restored between two turns of the event loop: about 10 ms of work. */
const RESTORED_AT_ONCE = 50;

/** What a new owner of a partition does before it processes records: restores the stored state, and replays the rest. */
export class PartitionRecovery {
  /** The settings that the partition's records are analyzed with, by offset. */
  readonly history = new SettingsHistory();
  /** The previous owner may not have published summaries of records at or after this offset. */
  summarizedTo = 0;
  readonly #pipeline: PartitionPipeline;
  readonly #deps: PartitionRecoveryDeps;
  readonly #outdated: OutdatedSessions;
  /** Snapshots by session, until the settings history is complete. */
  readonly #snapshots = new Map<string, StateEntry>();

  constructor(pipeline: PartitionPipeline, deps: PartitionRecoveryDeps) {
    this.#pipeline = pipeline;
    this.#deps = deps;
    this.#outdated = new OutdatedSessions(pipeline.sessions);
  }

  /** Loads one entry of the stored state. */
  restore(entry: StateEntry): void {
    if (entry.key === SUMMARIZED_KEY) {
      this.summarizedTo = Number(entry.value);
      return;
    }
    if (this.history.restore(entry, (found) => this.#deps.settings.versionOf(found))) return;
    const sessionId = sessionOf(entry);
    if (sessionId !== undefined) this.#snapshots.set(sessionId, entry);
  }

  /** Restores the sessions. Call after the last entry. @returns where the replay has to start */
  async replayFrom(resumeFrom: number): Promise<number> {
    const { incidents, settings, logger, now } = this.#deps;
    const { sessions } = this.#pipeline;
    let restored = 0;
    for (const [sessionId, entry] of this.#snapshots) {
      // Health checks, heartbeats and pages must not wait for all of them.
      if (++restored % RESTORED_AT_ONCE === 0) await new Promise(setImmediate);
      const stored = readSnapshot(sessionId, entry);
      const version = stored && this.history.byHash(stored.settings);
      if (stored === undefined || version === undefined) {
        this.#outdated.add(sessionId, readOutdated(entry));
        continue;
      }
      const { analyzer } = sessions.restore(stored, version.detection);
      for (const incident of stored.incidents) incidents.restore(incident);
      incidents.restoreUse(analyzer.openIncidentFigures);
      const ids = stored.incidents.map(({ id }) => id);
      incidents.noteActivity(ids, happenedAt(stored.snapshot.lastTime, now()));
    }
    this.#snapshots.clear();
    const from = this.#outdated.replayFrom(resumeFrom);
    if (this.#outdated.size > 0) {
      const fields = { ...sessions.topicPartition, sessions: this.#outdated.size, from };
      logger.warn(
        fields,
        'Session snapshots are of another version; these sessions are rebuilt from their records',
      );
    }
    // Without a readable history, the current settings are the nearest.
    if (this.history.latest === undefined) this.history.begin(from, settings.current);
    return from;
  }

  /** Analyzes records whose results are committed already. */
  async replay(records: readonly LogRecord[]): Promise<void> {
    for (const { version, records: piece } of this.history.split(records)) {
      this.#pipeline.sessions.detection = version.detection;
      for (const verdict of await this.#pipeline.replay(piece)) {
        this.#deps.incidents.replay(verdict);
        const at = happenedAt(verdict.time, this.#deps.now());
        this.#deps.incidents.noteActivity([verdict.incidentId], at);
      }
    }
  }

  /**
   * Call after the last record.
   *
   * @returns verdicts that end incidents which no session continues
   */
  finish(): EndedIncident['verdict'][] {
    for (const { analyzer } of this.#pipeline.sessions.unsaved())
      this.#deps.incidents.restoreUse(analyzer.openIncidentFigures);
    return this.#outdated.finish(this.#deps.settings.current).map(({ incident, verdict }) => {
      this.#deps.incidents.restore(incident);
      return verdict;
    });
  }
}
