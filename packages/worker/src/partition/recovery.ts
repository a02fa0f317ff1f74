import { happenedAt } from '@loopwatch/contract';
import type { LiveSettings, SettingsVersion } from '@loopwatch/detectors/internal';
import type { LogRecord } from '@loopwatch/log';
import { delay } from '@loopwatch/platform';
import type { Logger } from 'pino';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import { type EndedIncident, OutdatedSessions } from './outdated-sessions.ts';
import {
  readHead,
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
  /** Sessions that are restored before the first record is processed; 1,000 by default. */
  readonly restoredFirst?: number | undefined;
}

/** How long sessions are restored between two turns of the event loop, ms: health checks, heartbeats and pages wait for it. */
const SLICE_MS = 5;
/** Pause between two slices while records are processed, ms. */
const PAUSE_MS = 15;
/** Sessions that are restored before the first record is processed, unless they are needed. */
const RESTORED_FIRST = 1_000;

interface UnrestoredSession {
  readonly entry: StateEntry;
  readonly version: SettingsVersion;
}

/**
 * What a new owner of a partition does before it processes records: restores the stored state, and replays the rest. Of many
 * sessions, most are restored when their next event comes, or in the background.
 */
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
  /** Sessions that are to be restored, by id. */
  readonly #unrestored = new Map<string, UnrestoredSession>();

  constructor(pipeline: PartitionPipeline, deps: PartitionRecoveryDeps) {
    this.#pipeline = pipeline;
    this.#deps = deps;
    this.#outdated = new OutdatedSessions(pipeline.sessions);
    pipeline.sessions.stored = {
      restore: (sessionId) => {
        const unrestored = this.#unrestored.get(sessionId);
        if (unrestored === undefined) return;
        this.#unrestored.delete(sessionId);
        if (this.#restore(sessionId, unrestored.entry, unrestored.version)) return;
        deps.logger.error(
          { ...pipeline.sessions.topicPartition, sessionId },
          'A session snapshot is unreadable; the session restarts',
        );
        pipeline.sessions.storeNext(sessionId);
      },
    };
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

  /** Restores sessions. Call after the last entry. @returns where the replay has to start */
  async replayFrom(resumeFrom: number): Promise<number> {
    const { settings, logger, restoredFirst = RESTORED_FIRST } = this.#deps;
    const { sessions, resumesChecks } = this.#pipeline;
    let restored = 0;
    let sliceFrom = performance.now();
    for (const [sessionId, entry] of this.#snapshots) {
      if (performance.now() - sliceFrom > SLICE_MS) {
        await new Promise(setImmediate);
        sliceFrom = performance.now();
      }
      const head = readHead(entry);
      const version = head && this.history.byHash(head.settings);
      // Summaries that are missing are published first, and so are checks asked again.
      const isNeeded = resumesChecks || head === undefined || head.position >= this.summarizedTo;
      if (!isNeeded && version !== undefined && restored >= restoredFirst) {
        this.#unrestored.set(sessionId, { entry, version });
        continue;
      }
      restored += 1;
      if (!this.#restore(sessionId, entry, version)) this.#outdated.add(sessionId, readOutdated(entry));
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

  /** Restores a session. @returns false if its snapshot is of another version */
  #restore(sessionId: string, entry: StateEntry, known: SettingsVersion | undefined): boolean {
    const { incidents, now } = this.#deps;
    const stored = readSnapshot(sessionId, entry);
    const version = known ?? (stored && this.history.byHash(stored.settings));
    if (stored === undefined || version === undefined) return false;
    const { analyzer } = this.#pipeline.sessions.restore(stored, version.detection);
    for (const incident of stored.incidents) incidents.restore(incident);
    incidents.restoreUse(analyzer.openIncidentFigures);
    const ids = stored.incidents.map(({ id }) => id);
    incidents.noteActivity(ids, happenedAt(stored.snapshot.lastTime, now()));
    return true;
  }

  /** Restores the sessions that were not needed so far, in the background. Call once records are processed. */
  async restoreRest(): Promise<void> {
    let sliceFrom = performance.now();
    for (const sessionId of this.#unrestored.keys()) {
      this.#pipeline.sessions.stored?.restore(sessionId);
      if (performance.now() - sliceFrom <= SLICE_MS) continue;
      await delay(PAUSE_MS);
      sliceFrom = performance.now();
    }
  }

  /** Restores nothing more. */
  close(): void {
    this.#unrestored.clear();
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
