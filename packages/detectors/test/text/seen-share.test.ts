import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeenShare } from '../../src/text/seen-share.ts';

const WINDOW = 32;
/** Stretches of units, of which those of every second are seen at a distance. */
const stretches = fc.array(
  fc.record({ units: fc.integer({ min: 1, max: 700 }), distance: fc.integer({ min: 10, max: 900 }) }),
  { minLength: 1, maxLength: 20 },
);

test('SeenShare: is the share of repeated units among the last 1,375 to 1,500', () => {
  fc.assert(
    fc.property(stretches, (parts) => {
      const share = new SeenShare(WINDOW);
      const covered: boolean[] = [];
      for (const [i, { units, distance }] of parts.entries()) {
        for (let n = 0; n < units; n += 1) {
          const at = covered.length;
          covered.push(false);
          if (i % 2 === 0 || at < WINDOW) continue;
          covered.fill(true, at - WINDOW + 1);
          share.note(at, distance);
          const from = Math.floor(at / 125) * 125 - 11 * 125;
          const near = covered.slice(Math.max(0, from));
          const seen = near.filter((unit) => unit).length;
          // The units of the first window that came again in a bucket may lie in the bucket before.
          const slack = WINDOW / near.length;
          if (from < 0) expect(share.isStale(at)).toBe(false);
          else if (share.isStale(at)) expect(seen / near.length).toBeGreaterThan(0.8 - slack);
          else expect(seen / near.length).toBeLessThan(0.8 + slack);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('SeenShare: divides units by distance, and recognizes a constant distance', () => {
  const periodic = new SeenShare(WINDOW);
  for (let at = 300; at < 3000; at += 1) periodic.note(at, 300);
  expect(periodic.isStale(2999)).toBe(true);
  expect(periodic.seen).toBe(2700 + WINDOW - 1);
  expect(periodic.times).toBeCloseTo((2700 + WINDOW - 1) / 300);
  expect(periodic.comesEvery(300)).toBe(true);
  expect(periodic.comesEvery(400)).toBe(false);
});

test('SeenShare: counts units from when the text becomes stale', () => {
  const share = new SeenShare(WINDOW);
  for (let at = 100; at < 600; at += 1) share.note(at, 90);
  for (let at = 2500; at < 4500; at += 1) share.note(at, 100);
  expect(share.seen).toBeLessThanOrEqual(2000 + WINDOW);
  expect(share.times).toBeLessThan(21);
});

test('SeenShare: continues from a snapshot, and is empty after a restart', () => {
  const share = new SeenShare(WINDOW);
  for (let at = 100; at < 2400; at += 1) share.note(at, 90);
  const copy = new SeenShare(WINDOW);
  copy.restore(JSON.parse(JSON.stringify(share.snapshot())) as ReturnType<SeenShare['snapshot']>);
  share.note(2500, 70);
  copy.note(2500, 70);
  expect(copy.snapshot()).toEqual(share.snapshot());
  copy.restart();
  expect(copy.snapshot()).toEqual(new SeenShare(WINDOW).snapshot());
});
