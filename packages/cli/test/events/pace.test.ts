import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/events/pace.ts';

/** The pauses before events of these times; `took`: milliseconds that sending an event takes. */
function pauses(speed: number, rate: number | undefined, times: readonly number[], took = 0): number[] {
  let clock = 1000;
  const pace = new Pace(speed, rate, () => clock);
  return times.map((time) => {
    const pause = pace.pauseBefore(time);
    clock += pause + took;
    return pause;
  });
}

describe('Pace', () => {
  it.each<[string, number, number | undefined, number[], number[], number?]>([
    ['events are sent at once', 0, undefined, [0, 1000, 5000], [0, 0, 0]],
    ['events follow their times', 1, undefined, [500, 600, 600, 1600], [0, 100, 0, 1000]],
    ['speed 10 is ten times as fast', 10, undefined, [500, 600, 600, 1600], [0, 10, 0, 100]],
    ['speed 0.5 is half as fast', 0.5, undefined, [0, 100], [0, 200]],
    ['a rate spaces events evenly', 0, 10, [0, 0, 0, 0], [0, 100, 100, 100]],
    ['rate 0 means no limit', 0, 0, [0, 0, 0], [0, 0, 0]],
    ['the slower of times and rate applies', 1, 10, [0, 10, 500, 510], [0, 100, 400, 10]],
    ['pauses are shortened after slow sending', 1, undefined, [0, 100, 200, 1000], [0, 70, 70, 770], 30],
    ['there is no pause when sending is too slow', 1, undefined, [0, 100, 200], [0, 0, 0], 150],
    ['time that goes backwards needs no pause', 1, undefined, [1000, 0, 2000], [0, 0, 1000]],
  ])('pace: %s', (_, speed, rate, times, expected, took = 0) => {
    expect(pauses(speed, rate, times, took)).toEqual(expected);
  });

  it('pace: never exceeds the rate or runs ahead of the times', () => {
    const gaps = fc.array(fc.nat(5000), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(
        gaps,
        fc.nat(100),
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(50),
        (steps, speed, rate, took) => {
          let time = 0;
          const times = steps.map((step) => (time += step));
          const waits = pauses(speed, rate, times, took);
          let clock = 0;
          waits.forEach((wait, i) => {
            expect(wait).toBeGreaterThanOrEqual(0);
            clock += wait;
            expect(clock).toBeGreaterThanOrEqual((i * 1000) / rate - 1e-6);
            if (speed > 0) expect(clock).toBeGreaterThanOrEqual((times[i]! - times[0]!) / speed - 1e-6);
            clock += took;
          });
        },
      ),
    );
  });

  it('pace: skips pauses of less than a millisecond', async () => {
    let ticked = false;
    setImmediate(() => {
      ticked = true;
    });
    await new Pace(0, undefined).wait(0.9);
    expect(ticked).toBe(false);
  });
});
