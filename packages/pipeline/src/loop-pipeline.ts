import type { DetectionSettings } from '@loopwatch/contract';
import { type Detection, detectionOf } from '@loopwatch/detectors';
import { finalize, from, type Observable } from 'rxjs';
import { analyzeSessions } from './analyze-sessions.ts';
import { decodeRecords } from './decode-records.ts';
import {
  type InputBatch,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  silentObserver,
} from './records.ts';
import { SessionStore } from './session-store.ts';

/**
 * The topology: record -> event -> session -> verdict. A batch of one partition goes through at a time; batches of
 * different partitions may overlap, since sessions belong to one partition.
 */
export class LoopPipeline {
  readonly detection: Detection;
  private readonly store: SessionStore;
  private readonly observer: PipelineObserver;

  constructor(settings: DetectionSettings, observer: PipelineObserver = silentObserver) {
    this.detection = detectionOf(settings);
    this.observer = observer;
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
      analyzeSessions(sessions, { topic, partition }, this.observer),
      finalize(() => {
        this.store.sweep();
      }),
    );
  }

  /** The partition belongs to somebody else now: its sessions are forgotten. */
  drop(topic: string, partition: number): void {
    this.store.dropPartition(topic, partition);
  }
}
