import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentIds, type RecentIdsSnapshot } from '../src/recent-ids.ts';

/** An id, an event without one, or the session saved and loaded. */
const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.nat(99).map((n) => `e-${n}`) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('load' as const) },
);

it('knows exactly the ids of the last 64 events', () => {
  let known = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 400, size: 'max' }), (steps) => {
      let ids = new RecentIds();
      const events: (string | null)[] = [];
      for (const step of steps) {
        if (step === 'load') {
          const saved = JSON.parse(JSON.stringify(ids.snapshot())) as RecentIdsSnapshot;
          ids = new RecentIds();
          ids.restore(saved);
        } else if (step === null) {
          ids.skip();
          events.push(null);
        } else {
          const isNew = !events.slice(-64).includes(step);
          expect(ids.add(step)).toBe(isNew);
          if (isNew) events.push(step);
          else known += 1;
        }
      }
    }),
  );
  expect(known).toBeGreaterThan(500);
});
