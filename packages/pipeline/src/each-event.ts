import { Observable, type OperatorFunction } from 'rxjs';
import type { DeadLetter, InputRecord } from './records.ts';

/**
 * `mergeMap` for what is at hand: each event leads to any number of values, at once; dead letters pass through. An inner
 * observable for every event costs 0.3 µs more (ADR 5), which is a tenth of what detection itself takes with the quick presets.
 *
 * @param project hands what the event leads to to `emit`
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
