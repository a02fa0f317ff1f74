import type { CheckAnswer } from '@loopwatch/contract';
import type { SemanticCheck, SessionAnalyzer } from '@loopwatch/detectors';
import { concatMap, defer, filter, from, type Observable, type OperatorFunction, of } from 'rxjs';
import type { InputRecord, Outcome, PipelineObserver, Place, VerdictOutcome } from './records.ts';
import type { PartitionSessions } from './session-store.ts';

/** A session asks whether it loops; the stream goes on, or waits, as {@link CheckHandling} says. */
export interface RaisedCheck<R extends InputRecord = InputRecord> {
  readonly type: 'check';
  readonly record: R;
  readonly session: SessionAnalyzer;
  readonly check: SemanticCheck;
}

/** What becomes of a check. */
export interface CheckHandling {
  /** Finds an answer; never rejects. */
  answer(check: SemanticCheck): Promise<CheckAnswer>;
  /**
   * Takes what a late answer led to; `null` when nobody waited for it any more. Without it, the stream waits for each
   * answer, so that checks come at exactly the turns they are due at.
   */
  readonly late?: (late: LateAnswer) => void;
}

export interface LateAnswer {
  readonly place: Place;
  readonly check: SemanticCheck;
  readonly answer: CheckAnswer;
  readonly outcomes: readonly VerdictOutcome[] | null;
}

interface Desk {
  readonly handling: CheckHandling;
  readonly sessions: PartitionSessions;
  readonly place: Place;
  readonly observer: Pick<PipelineObserver, 'fault'>;
}

/** Lets each check be answered in its own time: it never holds up the stream. */
export function answerLater<R extends InputRecord>(
  desk: Desk,
): OperatorFunction<Outcome<R> | RaisedCheck<R>, Outcome<R>> {
  return filter((item): item is Outcome<R> => {
    if (item.type !== 'check') return true;
    const { check } = item;
    void desk.handling.answer(check).then((answer) => {
      const outcomes = conclude(desk, item, answer);
      desk.handling.late?.({ place: desk.place, check, answer, outcomes });
    });
    return false;
  });
}

/** Analyzes one item after the other, each only when the checks that the one before raised have their answers. */
export function answerFirst<T, R extends InputRecord>(
  desk: Desk,
  analyze: (item$: Observable<T>) => Observable<Outcome<R> | RaisedCheck<R>>,
): OperatorFunction<T, Outcome<R>> {
  return concatMap((item) =>
    analyze(of(item)).pipe(
      concatMap((found) =>
        found.type === 'check'
          ? defer(() => desk.handling.answer(found.check)).pipe(
              concatMap((answer) => from(conclude<R>(desk, found, answer) ?? [])),
            )
          : of(found),
      ),
    ),
  );
}

/** @returns `null` when the session is no longer here, or has gone on to another prompt */
function conclude<R extends InputRecord>(
  { sessions, place, observer }: Desk,
  { session, check, record }: RaisedCheck<R>,
  answer: CheckAnswer,
): VerdictOutcome<R>[] | null {
  if (!sessions.holds(session)) return null;
  const origins: number[] = [];
  try {
    const verdicts = session.answer(check.id, answer, origins);
    if (verdicts === undefined) return null;
    return verdicts.map((verdict, i) => {
      const firstOffset = String(origins[i] ?? record.offset);
      const source = { ...place, firstOffset, offset: String(record.offset) };
      return { type: 'verdict', record, verdict: { ...verdict, source } };
    });
  } catch (error) {
    sessions.forget(session.sessionId);
    observer.fault(session.sessionId, record.offset, error);
    return null;
  }
}
