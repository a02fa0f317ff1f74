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
import { decodeRecords, detectLoops, type EventRecord, isOutcome } from './stages.ts';

const NO_CHANGES: SummarizedChanges = { sessions: 0, incidents: [] };
const NO_SUMMARIES: SessionSummaries = { summaries: [], over: [], checksOver: [] };

/** State shared by all partitions of a pipeline. */
export interface SharedPipeline {
  readonly store: SessionStore;
  readonly observer: PipelineObserver;
  readonly checks: CheckHandling | undefined;
}

/**
 * Processes the records of one partition: decode, route by session, detect, emit verdicts. Batches of one partition
 * run sequentially. Batches of other partitions may interleave, since a session belongs to exactly one partition.
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
   * The outcomes of one batch, in record order. Subscribing processes the batch, so subscribe once, after the
   * previous batch has completed.
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
   * Replays records that were processed before, to rebuild the sessions. The observer is not notified, and records
   * that a restored snapshot already covers are skipped.
   *
   * @returns the resulting verdicts, which have already been published
   */
  async replay<R extends InputRecord>(records: readonly R[]): Promise<VerdictOutcome<R>['verdict'][]> {
    const verdicts: VerdictOutcome<R>['verdict'][] = [];
    await from(records)
      .pipe(decodeRecords(), this.analyze(silentObserver))
      // Takes the pending checks out of their sessions, so that unanswered ones count as pending.
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
    return detectLoops(this.sessions, this.place, observer);
  }

  private withAnswers<T, R extends InputRecord>(
    analyze: OperatorFunction<T, Outcome<R> | RaisedCheck<R>>,
  ): OperatorFunction<T, Outcome<R>> {
    const { checks: context } = this;
    if (context === undefined) return pipe(analyze, filter(isOutcome));
    return context.handling.onLateAnswer === undefined
      ? awaitAnswers(context, analyze)
      : pipe(analyze, answerInBackground(context));
  }

  /** Context for answering checks; undefined if the semantic layer is off. */
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
   * Restores a stored session. Call before the replay.
   *
   * @param detection the settings it was analyzed with when it was stored
   */
  restore(session: StoredSession, detection: Detection): void {
    this.sessions.restore(session, detection);
  }

  /** Asks the checks again that were pending when the previous owner stopped. Call after the replay. */
  resume(): void {
    const { checks: context } = this;
    if (context?.handling.onLateAnswer === undefined) return;
    for (const { analyzer, coveredTo } of this.sessions.all()) {
      const check = analyzer.checkUnderWay;
      if (check !== undefined) askInBackground(context, analyzer, check, coveredTo);
    }
  }

  /**
   * What to store when all records before `next` are processed.
   *
   * @param reach maximum number of records to replay
   * @param limit maximum number of sessions to store at a time
   */
  checkpoint(next: number, reach: number, limit: number): Checkpoint {
    return this.sessions.checkpoint(next, reach, limit);
  }

  /** Notes that a session's check was recorded; it is committed together with the next checkpoint. */
  noteCheck({ sessionId, id }: Pick<CheckRecord, 'sessionId' | 'id'>): void {
    this.sessions.noteCheck(sessionId, id);
  }

  /**
   * Summarizes changed sessions, for the next {@link drainSummaries}.
   *
   * @param limit maximum number of sessions; those waiting longest come first
   */
  summarizeChanges(limit: number): SummarizedChanges {
    return this.sessions.summaries?.summarizeChanges(limit) ?? NO_CHANGES;
  }

  /**
   * Offset of the first event not covered by a summary, once collected summaries are drained; undefined if there is
   * none.
   */
  get firstUnsummarized(): number | undefined {
    return this.sessions.summaries?.firstUnsummarized;
  }

  /** Notes that summaries may lack events at or after this offset. Call after the replay. */
  noteUnsummarized(offset: number): void {
    this.sessions.noteUnsummarized(offset);
  }

  /** The summaries collected since the last call; commit them together with the next checkpoint. */
  drainSummaries(): SessionSummaries {
    return this.sessions.summaries?.drain() ?? NO_SUMMARIES;
  }

  /** Frees the sessions of the partition, after it was revoked. */
  close(): void {
    this.shared.store.close(this.sessions);
  }
}
