import type { CheckAnswer, CheckRecord } from '@loopwatch/contract';
import type { SemanticCheck } from '@loopwatch/detectors';
import type { SessionAnalyzer } from '@loopwatch/detectors/internal';
import { concatMap, defer, filter, from, map, type Observable, type OperatorFunction, of } from 'rxjs';
import type { InputRecord, Outcome, PipelineObserver, RaisedCheck, VerdictOutcome } from '../records.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';

/** How checks are answered. */
export interface CheckHandling {
  /** Finds an answer; never rejects. */
  answer(check: SemanticCheck): Promise<CheckAnswer>;
  /**
   * Called with the result of an answer. Without it, the stream waits for each answer, so that checks run at exactly
   * the turns they are due.
   *
   * @returns the record of the answer; `undefined` if it is not to be published
   */
  readonly onLateAnswer?: (concluded: ConcludedCheck) => CheckRecord | undefined;
}

export interface ConcludedCheck {
  readonly check: SemanticCheck;
  readonly answer: CheckAnswer;
  /** `null` if the session is gone or has started another prompt. */
  readonly verdicts: readonly VerdictOutcome['verdict'][] | null;
}

export interface LateAnswer extends ConcludedCheck {
  readonly record: CheckRecord | undefined;
}

/** A check that the stream does not wait for. */
export interface PendingCheck {
  readonly session: SessionAnalyzer;
  readonly check: SemanticCheck;
  /** Of the record that raised the check, or of a later one. The record itself would keep its whole fetch in memory. */
  readonly offset: number;
}

export interface CheckContext {
  readonly handling: CheckHandling;
  readonly sessions: PartitionSessions;
  readonly observer: Pick<PipelineObserver, 'fault'>;
}

export function isOutcome<R extends InputRecord>(item: Outcome<R> | RaisedCheck<R>): item is Outcome<R> {
  return item.type !== 'check';
}

/** Takes the checks out of the stream. */
export function withoutChecks<R extends InputRecord>(
  raise: (check: PendingCheck) => void,
): OperatorFunction<Outcome<R> | RaisedCheck<R>, Outcome<R>> {
  return filter((item): item is Outcome<R> => {
    if (isOutcome(item)) return true;
    raise({ session: item.session, check: item.check, offset: item.record.offset });
    return false;
  });
}

/** Finds the answer to a check, and concludes it in its session. */
export function answerLater(context: CheckContext): (pending: PendingCheck) => Observable<LateAnswer> {
  const { handling, sessions } = context;
  return ({ session, check, offset }) =>
    from(handling.answer(check)).pipe(
      map((answer) => {
        const verdicts = conclude(context, session, check, offset, answer);
        if (verdicts !== null) sessions.noteUnrepeatable(session.sessionId);
        const concluded = { check, answer, verdicts };
        return { ...concluded, record: handling.onLateAnswer?.(concluded) };
      }),
    );
}

/** Analyzes items sequentially, each once the checks of the previous one are answered. */
export function awaitAnswers<T, R extends InputRecord>(
  context: CheckContext,
  analyze: OperatorFunction<T, Outcome<R> | RaisedCheck<R>>,
): OperatorFunction<T, Outcome<R>> {
  return concatMap((item) =>
    analyze(of(item)).pipe(
      concatMap((found) =>
        found.type === 'check'
          ? defer(() => context.handling.answer(found.check)).pipe(
              concatMap((answer) => {
                const { session, check, record } = found;
                const verdicts = conclude(context, session, check, record.offset, answer) ?? [];
                return from(verdicts.map((verdict) => ({ type: 'verdict' as const, record, verdict })));
              }),
            )
          : of(found),
      ),
    ),
  );
}

/** @returns `null` if the session is gone or has started another prompt */
function conclude(
  { sessions, observer }: CheckContext,
  session: SessionAnalyzer,
  check: SemanticCheck,
  offset: number,
  answer: CheckAnswer,
): VerdictOutcome['verdict'][] | null {
  const entry = sessions.entryOf(session);
  if (entry === undefined) return null;
  try {
    const concluded = session.answer(check.id, answer);
    if (concluded === undefined) return null;
    const { verdicts, origins } = concluded;
    if (verdicts.length > 0) sessions.summaries?.noteAnswer(entry, verdicts);
    return verdicts.map((verdict, i) => ({ ...verdict, source: sessions.sourceOf(offset, origins[i]) }));
  } catch (error) {
    // No record holds the answer, so no retry and no dead letter can take it out: the session restarts instead.
    sessions.forget(session.sessionId, Infinity);
    observer.fault(session.sessionId, offset, error);
    return null;
  }
}
