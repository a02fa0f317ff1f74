import type { CheckRecord } from '@loopwatch/contract';
import type { Detection } from '@loopwatch/detectors';
import { filter, finalize, from, type Observable, type OperatorFunction, pipe } from 'rxjs';
import type { Checkpoint, PartitionSessions } from './partition-sessions.ts';
import {
  type DeadLetter,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type RaisedCheck,
  silentObserver,
  type TopicPartition,
  type VerdictOutcome,
} from './records.ts';
import {
  answerInBackground,
  askInBackground,
  awaitAnswers,
  type CheckContext,
  type CheckHandling,
} from './semantic-checks.ts';
import type { StoredSession } from './session-entry.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionSummaries, SummarizedChanges } from './session-summaries.ts';
import { decodeRecords, detectLoops, type EventRecord, isOutcome, routeBySession } from './stages.ts';

const NO_CHANGES: SummarizedChanges = { sessions: 0, incidents: [] };
const NO_SUMMARIES: SessionSummaries = { summaries: [], over: [], checksOver: [] };

/** What the partitions of a pipeline share. */
export interface SharedPipeline {
  readonly store: SessionStore;
  readonly observer: PipelineObserver;
  readonly checks: CheckHandling | undefined;
}

/**
 * Processes the records of one partition: decode, route by session, detect, verdicts. Batches come one after the other;
 * those of other partitions may come between, since a session belongs to one partition.
 */
export class PartitionPipeline {
  private readonly place: TopicPartition;
  private readonly shared: SharedPipeline;
  private readonly sessions: PartitionSessions;

  constructor(place: TopicPartition, shared: SharedPipeline) {
    this.place = place;
    this.shared = shared;
    this.sessions = shared.store.open(place);
  }

  /**
   * What one batch leads to, in the order of its records. Subscribing processes the batch, so subscribe once, and not
   * before the batch before it is through.
   */
  process<R extends InputRecord>(records: readonly R[]): Observable<Outcome<R>> {
    const { store, observer } = this.shared;
    return from(records).pipe(
      decodeRecords(),
      this.withAnswers(this.analyze(observer)),
      finalize(() => {
        store.sweep();
      }),
    );
  }

  /**
   * Records that were processed before, to bring the sessions back to where they were. The observer hears nothing, and
   * those that a restored session knows of are passed over.
   *
   * @returns the verdicts they lead to, which are out already
   */
  async replay<R extends InputRecord>(records: readonly R[]): Promise<VerdictOutcome<R>['verdict'][]> {
    const verdicts: VerdictOutcome<R>['verdict'][] = [];
    await from(records)
      .pipe(decodeRecords(), this.analyze(silentObserver))
      // Checks are taken out of their sessions, so that those without an answer count as under way.
      .forEach((outcome) => {
        if (outcome.type === 'verdict') verdicts.push(outcome.verdict);
      });
    this.shared.store.sweep();
    this.sessions.summaries?.dropSummaries();
    return verdicts;
  }

  private analyze<R extends InputRecord>(
    observer: PipelineObserver,
  ): OperatorFunction<EventRecord<R> | DeadLetter<R>, Outcome<R> | RaisedCheck<R>> {
    return pipe(routeBySession(this.sessions), detectLoops(this.sessions, this.place, observer));
  }

  private withAnswers<T, R extends InputRecord>(
    analyze: OperatorFunction<T, Outcome<R> | RaisedCheck<R>>,
  ): OperatorFunction<T, Outcome<R>> {
    const { checks: desk } = this;
    if (desk === undefined) return pipe(analyze, filter(isOutcome));
    return desk.handling.onLateAnswer === undefined
      ? awaitAnswers(desk, analyze)
      : pipe(analyze, answerInBackground(desk));
  }

  /** Answers the checks; undefined where the semantic layer is off. */
  private get checks(): CheckContext | undefined {
    const { place, sessions } = this;
    const { checks: handling, observer } = this.shared;
    return handling && { handling, sessions, place, observer };
  }

  /** Changes the settings; each session adopts them at its next event. */
  adopt(detection: Detection): void {
    this.sessions.detection = detection;
  }

  /**
   * Restores a stored session. To be called before the replay.
   *
   * @param detection the settings by which it was analyzed then
   */
  restore(kept: StoredSession, detection: Detection): void {
    this.sessions.restore(kept, detection);
  }

  /** After the replay: asks the checks again that were pending when the previous owner stopped. */
  resume(): void {
    const { checks: desk } = this;
    if (desk?.handling.onLateAnswer === undefined) return;
    for (const { analyzer, coveredTo } of this.sessions.all()) {
      const check = analyzer.checkUnderWay;
      if (check !== undefined) askInBackground(desk, analyzer, check, coveredTo);
    }
  }

  /**
   * What to store when all records before `next` are processed.
   *
   * @param reach records that a replay may have to go through
   * @param most sessions to store at a time
   */
  checkpoint(next: number, reach: number, most: number): Checkpoint {
    return this.sessions.checkpoint(next, reach, most);
  }

  /** A session's check is recorded, in the step of the next checkpoint. */
  noteCheck({ sessionId, id }: Pick<CheckRecord, 'sessionId' | 'id'>): void {
    this.sessions.noteCheck(sessionId, id);
  }

  /**
   * Summarizes changed sessions, for the next {@link drainSummaries}.
   *
   * @param most sessions at a time; those waiting longest come first
   */
  summarizeChanges(most: number): SummarizedChanges {
    return this.sessions.summaries?.summarizeChanges(most) ?? NO_CHANGES;
  }

  /** Offset of the first event that no summary knows of, once what was collected is drained; undefined when there is none. */
  get firstUnsummarized(): number | undefined {
    return this.sessions.summaries?.firstUnsummarized;
  }

  /** After the replay: events from this offset on may be missing from the summaries. */
  noteUnsummarized(offset: number): void {
    this.sessions.noteUnsummarized(offset);
  }

  /** The summaries collected since the last call; they belong to the same step as the next checkpoint. */
  drainSummaries(): SessionSummaries {
    return this.sessions.summaries?.drain() ?? NO_SUMMARIES;
  }

  /** The partition was revoked: its sessions are freed. */
  close(): void {
    this.shared.store.close(this.sessions);
  }
}
