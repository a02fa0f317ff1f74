import { happenedAt } from '@loopwatch/contract';
import { type LiveSettings, openIncidentFigures, type SettingsVersion } from '@loopwatch/detectors/internal';
import type { LogRecord, StateChange, StepPosition } from '@loopwatch/log';
import { delay } from '@loopwatch/platform';
import type { Logger } from 'pino';
import type { IncidentMetrics } from '../report/incident-metrics.ts';
import type { PartitionPipeline } from '../stream/partition-pipeline.ts';
import { type EndedIncident, OutdatedSessions } from './outdated-sessions.ts';
import {
  integrityOf,
  isJson,
  readHead,
  readOutdated,
  readSnapshot,
  readSummarized,
  SettingsHistory,
  STATE_FORMAT,
  type StateEntry,
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

/** Keys of damaged entries in a log line. */
const NAMED_KEYS = 5;

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
  /** The position at which this version took over from another: snapshots that are older tell nothing. */
  since = 0;
  readonly #pipeline: PartitionPipeline;
  readonly #deps: PartitionRecoveryDeps;
  readonly #outdated: OutdatedSessions;
  /** Snapshots by session, until the settings history is complete. */
  readonly #snapshots = new Map<string, StateEntry>();
  /** Sessions whose snapshots have no checksum. */
  readonly #unchecked = new Set<string>();
  /** Keys of entries that are not what was written. */
  readonly #damaged = new Set<string>();
  /** Sessions that are to be restored, by id. */
  readonly #unrestored = new Map<string, UnrestoredSession>();

  constructor(pipeline: PartitionPipeline, deps: PartitionRecoveryDeps) {
    this.#pipeline = pipeline;
    this.#deps = deps;
    this.#outdated = new OutdatedSessions(pipeline.sessions);
    const unrestored = this.#unrestored;
    pipeline.sessions.stored = {
      get isEmpty() {
        return unrestored.size === 0;
      },
      restore: (sessionId) => {
        const found = unrestored.get(sessionId);
        if (found === undefined) return;
        unrestored.delete(sessionId);
        if (this.#restore(sessionId, found.entry, found.version)) return;
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
    const integrity = integrityOf(entry);
    if (integrity === 'damaged') {
      this.#damaged.add(entry.key);
      return;
    }
    const summarizedTo = readSummarized(entry);
    if (summarizedTo !== undefined) {
      // Both this version and an earlier one may have written theirs.
      this.summarizedTo = Math.max(this.summarizedTo, summarizedTo);
      return;
    }
    if (this.history.restore(entry, (found) => this.#deps.settings.versionOf(found))) return;
    const sessionId = sessionOf(entry);
    if (sessionId === undefined) return;
    this.#snapshots.set(sessionId, entry);
    if (integrity === 'unknown') this.#unchecked.add(sessionId);
  }

  /** Restores sessions. Call after the last entry. @returns where the replay has to start */
  async replayFrom(committed: StepPosition): Promise<number> {
    const isOwn = committed.mark?.format === STATE_FORMAT;
    // Without a mark, the position is of a version that can read its own snapshots only.
    const { position, rebuildFrom = committed.resumeFrom } = committed;
    const resumeFrom = isOwn ? committed.resumeFrom : rebuildFrom;
    this.since = isOwn ? committed.mark.since : position;
    const { settings, restoredFirst = RESTORED_FIRST } = this.#deps;
    const { resumesChecks } = this.#pipeline;
    let restored = 0;
    let sliceFrom = performance.now();
    for (const [sessionId, entry] of this.#snapshots) {
      if (performance.now() - sliceFrom > SLICE_MS) {
        await new Promise(setImmediate);
        sliceFrom = performance.now();
      }
      const head = readHead(entry);
      // Another version has processed records since, and knows nothing of this snapshot.
      const isOutdated = head !== undefined && (!isOwn || head.coveredTo < this.since - 1);
      if (isOutdated) {
        this.#outdated.add(sessionId, readOutdated(entry));
        continue;
      }
      const version = head && this.history.byHash(head.settings);
      // Summaries that are missing are published first, and so are checks asked again.
      const isNeeded =
        resumesChecks ||
        head === undefined ||
        head.position >= this.summarizedTo ||
        this.#unchecked.has(sessionId);
      if (!isNeeded && version !== undefined && restored >= restoredFirst) {
        this.#unrestored.set(sessionId, { entry, version });
        continue;
      }
      restored += 1;
      if (this.#restore(sessionId, entry, version)) continue;
      if (isJson(entry)) this.#outdated.add(sessionId, readOutdated(entry));
      else this.#damaged.add(entry.key);
    }
    const from = this.#replayFrom(resumeFrom);
    this.#snapshots.clear();
    this.#unchecked.clear();
    this.#pipeline.sessions.begin(Math.min(from, rebuildFrom), position);
    // Without a readable history, the current settings are the nearest.
    if (this.history.latest === undefined) this.history.begin(from, settings.current);
    return from;
  }

  /** Says which sessions are rebuilt from their records, and why. */
  #replayFrom(resumeFrom: number): number {
    const { logger } = this.#deps;
    const { topicPartition } = this.#pipeline.sessions;
    const [damaged, outdated] = [this.#damaged.size, this.#outdated.size];
    if (damaged > 0) {
      const ids = [...this.#damaged].flatMap((key) => sessionOf({ key }) ?? []);
      for (const id of ids) this.#snapshots.delete(id);
      this.#outdated.addAllBut(new Set(this.#snapshots.keys()), ids);
    }
    const from = this.#outdated.replayFrom(resumeFrom);
    if (outdated > 0)
      logger.warn(
        { ...topicPartition, sessions: outdated, from },
        'Session snapshots are of another version; these sessions are rebuilt from their records',
      );
    if (damaged > 0)
      logger.error(
        { ...topicPartition, entries: damaged, keys: [...this.#damaged].slice(0, NAMED_KEYS), from },
        'The stored state of the analysis is damaged; sessions without a readable snapshot are rebuilt from their records',
      );
    return from;
  }

  /** Deletes, once, what is damaged. */
  takeChanges(): StateChange[] {
    const keys = [...this.#damaged];
    this.#damaged.clear();
    return keys.map((key) => ({ key, value: null }));
  }

  /** Restores a session. @returns false if its snapshot is of another version */
  #restore(sessionId: string, entry: StateEntry, known: SettingsVersion | undefined): boolean {
    const { incidents, now } = this.#deps;
    const stored = readSnapshot(sessionId, entry);
    const version = known ?? (stored && this.history.byHash(stored.settings));
    if (stored === undefined || version === undefined) return false;
    const { analyzer } = this.#pipeline.sessions.restore(stored, version.detection);
    for (const incident of stored.incidents) incidents.restore(incident);
    incidents.restoreUse(openIncidentFigures(analyzer.state));
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
        this.#outdated.found(verdict);
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
      this.#deps.incidents.restoreUse(openIncidentFigures(analyzer.state));
    return this.#outdated.finish(this.#deps.settings.current).map(({ incident, verdict }) => {
      this.#deps.incidents.restore(incident);
      return verdict;
    });
  }
}
