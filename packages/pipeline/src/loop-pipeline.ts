import type { DetectionSettings } from '@loopwatch/contract';
import { type Detection, detectionOf } from '@loopwatch/detectors';
import { finalize, from, type Observable, type OperatorFunction } from 'rxjs';
import { analyzeSessions } from './analyze-sessions.ts';
import { decodeRecords, type EventRecord } from './decode-records.ts';
import {
  type InputBatch,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type Place,
  silentObserver,
} from './records.ts';
import { answerFirst, answerLater, type CheckHandling } from './semantic-checks.ts';
import { type PartitionSessions, SessionStore } from './session-store.ts';

/**
 * The topology: record -> event -> session -> verdict. A batch of one partition goes through at a time; batches of
 * different partitions may overlap, since sessions belong to one partition.
 */
export class LoopPipeline {
  readonly detection: Detection;
  private readonly store: SessionStore;
  private readonly observer: PipelineObserver;
  private readonly checks: CheckHandling | undefined;

  /** @param checks who answers the checks of the semantic layer; without one it is off */
  constructor(
    settings: DetectionSettings,
    observer: PipelineObserver = silentObserver,
    checks?: CheckHandling,
  ) {
    this.detection = detectionOf(settings, checks !== undefined);
    this.observer = observer;
    this.checks = checks;
    this.store = new SessionStore({
      detection: this.detection,
      maxSessions: settings.session.max_sessions,
      idleMs: settings.session.idle_seconds * 1000,
      observer,
    });
  }

  get activeSessions(): number {
    return this.store.size;
  }

  /**
   * What one batch leads to, in the order of its records. Subscribing processes the batch, so subscribe once, and not
   * before the partition's batch before it is through.
   */
  process<R extends InputRecord>({ topic, partition, records }: InputBatch<R>): Observable<Outcome<R>> {
    const sessions = this.store.partition(topic, partition);
    return from(records).pipe(
      decodeRecords(),
      this.analyze<R>(sessions, { topic, partition }),
      finalize(() => {
        this.store.sweep();
      }),
    );
  }

  private analyze<R extends InputRecord>(
    sessions: PartitionSessions,
    place: Place,
  ): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R>> {
    const { checks: handling, observer } = this;
    if (handling === undefined) return analyzeSessions(sessions, place, observer);
    const desk = { handling, sessions, place, observer };
    const analyze = analyzeSessions<R>(sessions, place, observer, true);
    if (handling.late === undefined) return answerFirst(desk, analyze);
    return (item$) => analyze(item$).pipe(answerLater(desk));
  }

  /** The partition belongs to somebody else now: its sessions are forgotten. */
  drop(topic: string, partition: number): void {
    this.store.dropPartition(topic, partition);
  }
}
