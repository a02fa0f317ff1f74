import { describe, expect, it } from 'vitest';
import { indexAt, loopsOn, savedByStopping, usedUpTo } from '../../src/session/map/map-scale.ts';
import { loop, outline } from './outlines.ts';

describe('the map of a session', () => {
  it('finds events by their time, also between bins and beyond the ends', () => {
    expect([-5, 0, 15_000, 90_000, 1e9].map((time) => indexAt(outline.bins, 100, time))).toEqual([
      0, 0, 15, 99, 99,
    ]);
    expect(indexAt([], 0, 5)).toBe(0);
  });

  it('says what was used up to an event', () => {
    expect([0, 5, 10, 100, 500].map((index) => usedUpTo(outline, index).usd)).toEqual([0, 0.5, 1, 10, 10]);
  });

  it('says what stopping at the first alarm would have saved, and counts overlapping loops once', () => {
    const one = loopsOn(outline, [loop({})]);
    expect(one).toMatchObject([{ from: 20, alarm: 30, to: 60 }]);
    expect(savedByStopping(outline, one)).toEqual({ usd: 3, tokens: 3_000 });
    const inner = loop({ id: 'i-2', openedAt: 40_000, lastAt: 50_000, resolvedAt: 50_000 });
    const later = loop({ id: 'i-3', openedAt: 50_000, lastAt: 70_000, resolvedAt: 70_000 });
    expect(savedByStopping(outline, loopsOn(outline, [loop({}), inner, later])).usd).toBe(4);
  });

  it('counts no event before a loop began, even if a clock that jumps places the alarm there', () => {
    const jumped = loopsOn(outline, [loop({ openedAt: 5_000 })]);
    expect(jumped).toMatchObject([{ from: 20, alarm: 20, to: 60 }]);
    expect(savedByStopping(outline, jumped).usd).toBe(4);
  });

  it('counts an unresolved loop up to the end, and neither limits nor outages', () => {
    expect(loopsOn(outline, [loop({ resolvedAt: null })])).toMatchObject([{ to: 99 }]);
    expect(loopsOn(outline, [loop({ kind: 'limit' }), loop({ kind: 'outage' })])).toEqual([]);
  });
});
