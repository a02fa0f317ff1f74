import { activityAt, eventTypes, type Verdict } from '@loopwatch/contract';
import {
  type LogLine,
  type MaskPatterns,
  maskSecrets,
  oneLine,
  type TurnRequest,
  turnRequestLines,
  verdictLines,
} from '@loopwatch/detectors/internal';
import type { Logger } from 'pino';
import type { PipelineObserver } from '../records.ts';
import type { IncidentMetrics } from './incident-metrics.ts';
import type { WorkerMetrics } from './metrics.ts';

/** Label shared by all unknown event types, so that producers cannot create labels. */
const OTHER = 'other';

const noteKinds = ['duplicates', 'refusedSettings', 'faults'] as const;
type NoteKind = (typeof noteKinds)[number];

/** What a batch adds to the metrics once it is committed. */
export interface BatchCounts extends Readonly<Record<NoteKind, number>> {
  /** By type. */
  readonly events: ReadonlyMap<string, number>;
}

/** A verdict, with the timestamp of the record that led to it, epoch ms. */
export interface TimedVerdict {
  readonly verdict: Verdict;
  readonly timestamp: number;
}

export interface DetectionReportDeps {
  readonly metrics: WorkerMetrics;
  readonly incidents: IncidentMetrics;
  readonly logger: Logger;
  /** Further patterns whose matches are masked. */
  readonly mask: MaskPatterns;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/**
 * Counts and logs what the pipeline reports. Events are counted per batch and added to the metrics once the batch is
 * committed: updating a metric for each event costs too much.
 */
export class DetectionReport implements PipelineObserver {
  /** Wall clock of the latest batch processed, epoch ms. */
  lastEventAt: number | null = null;
  readonly #deps: DetectionReportDeps;
  readonly #events = new Map(eventTypes.map((type) => [type as string, { count: 0 }]));
  readonly #otherEvents = { count: 0 };
  readonly #notes: Record<NoteKind, number> = { duplicates: 0, refusedSettings: 0, faults: 0 };
  readonly #abandoned: string[] = [];

  constructor(deps: DetectionReportDeps) {
    this.#deps = deps;
  }

  event(type: string): void {
    (this.#events.get(type) ?? this.#otherEvents).count += 1;
  }

  duplicate(): void {
    this.#notes.duplicates += 1;
  }

  refusedSetting(sessionId: string, message: string): void {
    this.#notes.refusedSettings += 1;
    // The message quotes, and may truncate, what a user wrote in a prompt or an event.
    const masked = maskSecrets(message, this.#deps.mask, () => undefined);
    this.#deps.logger.warn({ sessionId }, oneLine(`Rejected a setting of session ${sessionId}: ${masked}`));
  }

  turnRequest(sessionId: string, request: TurnRequest): void {
    logTurnRequest(this.#deps.logger, sessionId, request);
  }

  evicted(reason: Parameters<PipelineObserver['evicted']>[0]): void {
    this.#deps.metrics.evictedSessions.inc({ reason });
  }

  abandoned(incidentIds: readonly string[]): void {
    this.#abandoned.push(...incidentIds);
  }

  /** Abandoned incidents since the last call. They can be forgotten once what was said of them is committed and counted. */
  takeAbandoned(): readonly string[] {
    return this.#abandoned.splice(0);
  }

  fault(sessionId: string, offset: number, error: unknown): void {
    this.#notes.faults += 1;
    this.#deps.logger.error(
      { err: error, sessionId, offset },
      'Detection failed on an answer of the judge; its session was reset. This is a bug: please report it.',
    );
  }

  /** Counts since the last call. */
  takeCounts(): BatchCounts {
    const events = new Map<string, number>();
    for (const [type, tally] of [...this.#events, [OTHER, this.#otherEvents] as const]) {
      if (tally.count > 0) events.set(type, tally.count);
      tally.count = 0;
    }
    const notes = { ...this.#notes };
    for (const kind of noteKinds) this.#notes[kind] = 0;
    return { events, ...notes };
  }

  /** Counts a committed batch. */
  batchCommitted({ events, ...notes }: BatchCounts): void {
    const { metrics } = this.#deps;
    metrics.toolCalls.inc(events.get('tool_call_request') ?? 0);
    for (const [type, count] of events) metrics.events.inc({ type }, count);
    for (const kind of noteKinds) metrics[kind].inc(notes[kind]);
  }

  /** Counts and logs committed verdicts. */
  verdictsCommitted(verdicts: readonly TimedVerdict[]): void {
    const { incidents, metrics, logger, now } = this.#deps;
    const committedAt = now();
    for (const { verdict, timestamp } of verdicts) {
      incidents.count(verdict);
      incidents.noteActivity([verdict.incidentId], activityAt(verdict.time, committedAt));
      metrics.detectionLatency.observe(Math.max(0, committedAt - timestamp) / 1000);
      logVerdict(logger, verdict);
    }
  }
}

/** Writes a verdict's lines for operators. */
function logVerdict(logger: Logger, verdict: Omit<Verdict, 'source'>): void {
  writeLines(logger, verdictLines(verdict, false));
}

/** Writes the lines about model requests if their number is limited. */
export function logTurnRequest(logger: Logger, sessionId: string, request: TurnRequest): void {
  writeLines(logger, turnRequestLines(sessionId, request));
}

function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  for (const { level, message, fields } of lines) logger[level](fields, message);
}
