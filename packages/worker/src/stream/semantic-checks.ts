import type { CheckAnswer } from '@loopwatch/contract';
import type { SemanticCheck, SessionAnalyzer } from '@loopwatch/detectors';
import { concatMap, defer, filter, from, type OperatorFunction, of } from 'rxjs';
import type {
  InputRecord,
  Outcome,
  PipelineObserver,
  RaisedCheck,
  TopicPartition,
  VerdictOutcome,
} from '../records.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';

/** How checks are answered. */
export interface CheckHandling {
  /** Finds an answer; never rejects. */
  answer(check: SemanticCheck): Promise<CheckAnswer>;
  /**
   * Called with the result of an answer. Without it, the stream waits for each answer, so that checks run at exactly
   * the turns they are due.
   */
  readonly onLateAnswer?: (late: LateAnswer) => void;
}

export interface LateAnswer {
  readonly place: TopicPartition;
  readonly check: SemanticCheck;
  readonly answer: CheckAnswer;
  readonly verdicts: readonly VerdictOutcome['verdict'][] | null;
}

export interface CheckContext {
  readonly handling: CheckHandling;
  readonly sessions: PartitionSessions;
  readonly observer: Pick<PipelineObserver, 'fault'>;
}

/** Answers checks in the background, without blocking the stream. */
export function answerInBackground<R extends InputRecord>(
  context: CheckContext,
): OperatorFunction<Outcome<R> | RaisedCheck<R>, Outcome<R>> {
  return filter((item): item is Outcome<R> => {
    if (item.type !== 'check') return true;
    // Passes the offset, not the record: a reference would keep its bytes, and the whole fetch, in memory until the
    // answer arrives.
    askInBackground(context, item.session, item.check, item.record.offset);
    return false;
  });
}

/** @param offset offset of the record that raised the check, or of a later one */
export function askInBackground(
  context: CheckContext,
  session: SessionAnalyzer,
  check: SemanticCheck,
  offset: number,
): void {
  void context.handling.answer(check).then((answer) => {
    const verdicts = conclude(context, session, check, offset, answer);
    if (verdicts !== null) context.sessions.noteUnrepeatable(session);
    context.handling.onLateAnswer?.({ place: context.sessions.place, check, answer, verdicts });
  });
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
    sessions.forget(session.sessionId);
    observer.fault(session.sessionId, offset, error);
    return null;
  }
}
