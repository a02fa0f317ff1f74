import { Observable, type OperatorFunction } from 'rxjs';

/**
 * `mergeMap` for what is at hand: each value leads to any number of others, at once. An inner observable for every event
 * costs 0.3 µs more (ADR 5), which is a tenth of what detection itself takes with the quick presets.
 *
 * @param project hands what the value leads to to `emit`
 */
export function emitEach<In, Out>(
  project: (value: In, emit: (out: Out) => void) => void,
): OperatorFunction<In, Out> {
  return (source) =>
    new Observable((subscriber) => {
      const emit = (out: Out) => {
        subscriber.next(out);
      };
      return source.subscribe({
        next: (value) => {
          project(value, emit);
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
