import {
  concatWith,
  defer,
  EMPTY,
  filter,
  from,
  mergeMap,
  type Observable,
  type OperatorFunction,
  pipe,
  Subject,
} from 'rxjs';
import {
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type RaisedCheck,
  silentObserver,
  type VerdictOutcome,
} from '../records.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';
import type { SessionStore } from '../sessions/store.ts';
import { decodeRecords, type FaultPolicy } from './decode.ts';
import { detectLoops } from './detect.ts';
import {
  answerLater,
  awaitAnswers,
  type CheckContext,
  type CheckHandling,
  isOutcome,
  type LateAnswer,
  type PendingCheck,
  withoutChecks,
} from './semantic-checks.ts';

/** State shared by all partitions of a pipeline. */
export interface SharedPipeline {
  readonly store: SessionStore;
  readonly observer: PipelineObserver;
  readonly checks: CheckHandling | undefined;
}

/**
 * Detection in the records of one partition: decode, route by session, detect, emit verdicts. Batches of one partition
 * run sequentially. Batches of other partitions may interleave, since a session belongs to exactly one partition.
 */
export class PartitionPipeline {
  /** What the partition keeps between batches. */
  readonly sessions: PartitionSessions;
  /** The answers to checks that the stream does not wait for. Subscribe once, before the first batch. */
  readonly answers: Observable<LateAnswer>;
  readonly #shared: SharedPipeline;
  readonly #raised = new Subject<PendingCheck>();

  constructor(sessions: PartitionSessions, shared: SharedPipeline) {
    this.sessions = sessions;
    this.#shared = shared;
    const checks = this.#checks;
    this.answers = checks === undefined ? EMPTY : this.#raised.pipe(mergeMap(answerLater(checks)));
  }

  /**
   * The outcomes of one batch, in record order. Subscribing processes the batch, so subscribe once, after the
   * previous batch has completed. A fault errors the stream with a `RecordFault`, and the partition has to be opened
   * again from what is stored; with `skip`, the record becomes a dead letter, and its session restarts.
   */
  process<R extends InputRecord>(
    records: readonly R[],
    faults: FaultPolicy = 'error',
  ): Observable<Outcome<R>> {
    const { store, observer } = this.#shared;
    return from(records).pipe(
      decodeRecords(faults),
      this.#withAnswers(detectLoops(this.sessions, observer, faults)),
      concatWith(
        defer(() => {
          store.sweep();
          return EMPTY;
        }),
      ),
    );
  }

  /**
   * Replays records that were processed before, to rebuild the sessions. The observer is not notified, and records
   * that a restored snapshot already covers are skipped, as are those that failed: they are dead letters by now.
   *
   * @returns the resulting verdicts, which have already been published
   */
  async replay<R extends InputRecord>(records: readonly R[]): Promise<VerdictOutcome<R>['verdict'][]> {
    const verdicts: VerdictOutcome<R>['verdict'][] = [];
    await from(records)
      .pipe(decodeRecords('skip'), detectLoops(this.sessions, silentObserver, 'skip'))
      // Takes the pending checks out of their sessions, so that unanswered ones count as pending.
      .forEach((outcome) => {
        if (outcome.type === 'verdict') verdicts.push(outcome.verdict);
      });
    this.#shared.store.sweep();
    this.sessions.summaries?.dropSummaries();
    return verdicts;
  }

  #withAnswers<T, R extends InputRecord>(
    analyze: OperatorFunction<T, Outcome<R> | RaisedCheck<R>>,
  ): OperatorFunction<T, Outcome<R>> {
    const checks = this.#checks;
    if (checks === undefined) return pipe(analyze, filter(isOutcome));
    if (checks.handling.onLateAnswer === undefined) return awaitAnswers(checks, analyze);
    return pipe(
      analyze,
      withoutChecks((check) => {
        this.#raised.next(check);
      }),
    );
  }

  /** Context for answering checks; undefined if the semantic layer is off. */
  get #checks(): CheckContext | undefined {
    const { checks: handling, observer } = this.#shared;
    return handling && { handling, sessions: this.sessions, observer };
  }

  /** Whether {@link resume} needs all sessions in memory. */
  get resumesChecks(): boolean {
    return this.#shared.checks?.onLateAnswer !== undefined;
  }

  /** Asks the checks again that were pending when the previous owner stopped. Call after the replay. */
  resume(): void {
    if (!this.resumesChecks) return;
    for (const { analyzer, coveredTo } of this.sessions.all()) {
      const check = analyzer.checkUnderWay;
      if (check !== undefined) this.#raised.next({ session: analyzer, check, offset: coveredTo });
    }
  }

  /** Frees the sessions of the partition, after it was revoked. */
  close(): void {
    this.#shared.store.close(this.sessions);
  }
}
