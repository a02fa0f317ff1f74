import type { Steps } from '../src/in-slices.ts';

/** Does work without a pause. */
export function completed<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}
