import type { AgentEvent } from '@loopwatch/contract';
import { acceptEvent, decodeEvent } from '@loopwatch/contract/check';
import type { PushResult } from '@loopwatch/detectors';
import { filter, finalize, from, map, Observable, type OperatorFunction, pipe } from 'rxjs';
import {
  type DeadLetter,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type RaisedCheck,
  silentObserver,
  type VerdictOutcome,
} from '../records.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';
import type { SessionStore } from '../sessions/store.ts';
import {
  answerInBackground,
  askInBackground,
  awaitAnswers,
  type CheckContext,
  type CheckHandling,
} from './semantic-checks.ts';

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
  /** What the partition keeps between batches. */
  readonly sessions: PartitionSessions;
  private readonly shared: SharedPipeline;

  constructor(sessions: PartitionSessions, shared: SharedPipeline) {
    this.sessions = sessions;
    this.shared = shared;
  }

  /**
   * The outcomes of one batch, in record order. Subscribing processes the batch, so subscribe once, after the
   * previous batch has completed.
   */
  process<R extends InputRecord>(records: readonly R[]): Observable<Outcome<R>> {
    const { store, observer } = this.shared;
    return from(records).pipe(
      decodeRecords(),
      this.withAnswers(detectLoops(this.sessions, observer)),
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
      .pipe(decodeRecords(), detectLoops(this.sessions, silentObserver))
      // Takes the pending checks out of their sessions, so that unanswered ones count as pending.
      .forEach((outcome) => {
        if (outcome.type === 'verdict') verdicts.push(outcome.verdict);
      });
    this.shared.store.sweep();
    this.sessions.summaries?.dropSummaries();
    return verdicts;
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
    const { checks: handling, observer } = this.shared;
    return handling && { handling, sessions: this.sessions, observer };
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

  /** Frees the sessions of the partition, after it was revoked. */
  close(): void {
    this.shared.store.close(this.sessions);
  }
}

/** A record whose value is an event, with its session. */
export interface EventRecord<R extends InputRecord = InputRecord> {
  readonly type: 'event';
  readonly record: R;
  readonly sessionId: string;
  readonly event: AgentEvent;
}

/** Decodes each record to an event, or to a dead letter with the reason. No record content makes the stream fail. */
export function decodeRecords<R extends InputRecord>(): OperatorFunction<R, EventRecord<R> | DeadLetter<R>> {
  return map(decode);
}

function decode<R extends InputRecord>(record: R): EventRecord<R> | DeadLetter<R> {
  if (record.rejection !== undefined) return { type: 'dead_letter', record, ...record.rejection };
  const decoded = record.event === undefined ? decodeEvent(record) : acceptEvent(record.event, record);
  if (!decoded.ok) return { type: 'dead_letter', record, reason: decoded.reason, message: decoded.message };
  return { type: 'event', record, sessionId: decoded.sessionId, event: decoded.event };
}

/**
 * A synchronous `mergeMap`: each event yields any number of values; dead letters pass through. An inner observable
 * per event would cost 0.3 µs more (ADR 5), a tenth of what detection itself takes with the quick presets.
 *
 * @param project passes each resulting value to `emit`
 */
export function eachEvent<R extends InputRecord, In extends { readonly type: string }, Out>(
  project: (event: In, emit: (out: Out) => void) => void,
): OperatorFunction<In | DeadLetter<R>, Out | DeadLetter<R>> {
  return (source) =>
    new Observable((subscriber) => {
      const emit = (out: Out | DeadLetter<R>) => {
        subscriber.next(out);
      };
      return source.subscribe({
        next: (value) => {
          if (isDeadLetter(value)) emit(value);
          else project(value, emit);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          subscriber.complete();
        },
      });
    });
}

function isDeadLetter<R extends InputRecord>(
  value: { readonly type: string } | DeadLetter<R>,
): value is DeadLetter<R> {
  return value.type === 'dead_letter';
}

/**
 * Routes each event to its session, which is created if it is not in memory, and runs the session's detectors. Emits their
 * verdicts, followed by the check that the event raised, if any; dead letters pass through. Sessions may interleave
 * freely: each sees only its own events, in order. Events that a restored snapshot already covers are dropped.
 */
export function detectLoops<R extends InputRecord>(
  sessions: PartitionSessions,
  observer: PipelineObserver,
): OperatorFunction<EventRecord<R> | DeadLetter<R>, Outcome<R> | RaisedCheck<R>> {
  return eachEvent((item, emit) => {
    const { record, event, sessionId } = item;
    const entry = sessions.use(sessionId, record.offset);
    if (entry === undefined) return;
    const { analyzer } = entry;
    let pushed: PushResult;
    try {
      pushed = analyzer.push(event, record.timestamp ?? analyzer.lastTime, record.offset);
    } catch (error) {
      // A bug in detection must not stop the stream: the session restarts, and the observer is notified.
      sessions.forget(sessionId);
      observer.fault(sessionId, record.offset, error);
      return;
    }
    sessions.noteTime(analyzer, record.timestamp);
    if (pushed.isDuplicate) {
      observer.duplicate();
      return;
    }
    const { verdicts, origins, refusal, abandoned, turnRequest } = pushed;
    if (abandoned.length > 0) observer.abandoned(abandoned.map(({ id }) => id));
    observer.event(event.type);
    sessions.summaries?.note(entry, event.type, record.offset, verdicts);
    if (refusal !== null) observer.refusedSetting(sessionId, refusal);
    if (turnRequest !== null) observer.turnRequest(sessionId, turnRequest);
    verdicts.forEach((verdict, i) => {
      const source = sessions.sourceOf(record.offset, origins[i]);
      emit({ type: 'verdict', record, verdict: { ...verdict, source } });
    });
    const check = analyzer.takeCheck();
    if (check !== undefined) emit({ type: 'check', record, session: analyzer, check });
  });
}

export function isOutcome<R extends InputRecord>(item: Outcome<R> | RaisedCheck<R>): item is Outcome<R> {
  return item.type !== 'check';
}
