import { differenceOf, mean, proportion, rate } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { compareRows, mostUsed } from '../../src/compare/measures.ts';
import { readCompare, writeCompare } from '../../src/compare/search.ts';

describe('intervals', () => {
  // By `statsmodels.stats.proportion.proportion_confint(method='wilson')`.
  it.each([
    [0, 10, 0, 0.2775],
    [1, 10, 0.0179, 0.4042],
    [5, 10, 0.2366, 0.7634],
    [10, 10, 0.7225, 1],
    [200, 1_000, 0.1764, 0.2259],
  ])('the proportion %i of %i is from %d to %d', (part, total, low, high) => {
    expect(proportion(part, total)?.low).toBeCloseTo(low, 3);
    expect(proportion(part, total)?.high).toBeCloseTo(high, 3);
  });

  it('narrow with more data, contain the value, and are never negative', () => {
    for (const n of [1, 3, 40, 5_000]) {
      const found = [proportion(n, 2 * n), rate(3 * n, n), mean(2 * n, 8 * n, n)].flatMap((one) => one ?? []);
      for (const { value, low, high } of found)
        expect([low >= 0, low <= value, value <= high]).toEqual([true, true, true]);
    }
    const width = (n: number) => (rate(n, n)?.high ?? 0) - (rate(n, n)?.low ?? 0);
    expect(width(4_000)).toBeLessThan(width(40) / 5);
    expect(rate(0, 100)).toMatchObject({ value: 0, low: 0 });
  });

  it('a mean has the interval of its standard error', () => {
    // 1, 2, 3, 4: variance 5/3.
    const { value, low, high } = mean(10, 30, 4)!;
    expect(value).toBe(2.5);
    expect(high - low).toBeCloseTo(2 * 1.96 * Math.sqrt(5 / 3 / 4), 6);
  });

  it('without data there is none', () => {
    expect([proportion(0, 0), rate(0, 0), mean(0, 0, 0)]).toEqual([null, null, null]);
  });

  it('differ clearly only if they do not overlap and there are enough sessions', () => {
    const from = (low: number, high: number) => ({ value: (low + high) / 2, low, high });
    expect(differenceOf(from(1, 2), from(3, 4), 100)).toBe('higher');
    expect(differenceOf(from(3, 4), from(1, 2), 100)).toBe('lower');
    expect(differenceOf(from(1, 3), from(2, 4), 100)).toBe('unclear');
    expect(differenceOf(from(1, 2), from(3, 4), 19)).toBe('too few');
    expect(differenceOf(null, from(3, 4), 100)).toBe('too few');
  });
});

describe('a comparison', () => {
  const amounts = (sessions: number, looping: number, usd: number | null) => ({
    incidents: looping,
    sessions: looping,
    calls: looping * 5,
    tokens: 1,
    usd: usd === null ? null : usd / 2,
    unpriced: 0,
    activity: {
      sessions,
      calls: sessions * 9,
      tokens: 1,
      usd,
      unpriced: 0,
      priced: usd === null ? 0 : sessions,
      usdSquares: usd === null ? null : (usd * usd) / sessions,
    },
  });
  const differences = (a: ReturnType<typeof amounts>, b: ReturnType<typeof amounts>) =>
    Object.fromEntries(compareRows(a, b).map(({ id, difference }) => [id, difference]));

  it('says what differs clearly, and gives no interval where none holds', () => {
    expect(differences(amounts(1_000, 50, 100), amounts(1_000, 150, 300))).toEqual({
      sessions: undefined,
      looping: 'higher',
      rate: 'higher',
      usd: 'higher',
      wasted: undefined,
    });
  });

  it('says that there is too little data, and what is unknown', () => {
    const rows = compareRows(amounts(5, 0, 1), amounts(1_000, 300, null));
    expect(rows.map(({ difference }) => difference)).toEqual([
      undefined,
      'too few',
      'too few',
      'too few',
      undefined,
    ]);
    expect(rows.find(({ id }) => id === 'usd')?.b).toEqual({ value: null, text: '–' });
    expect(rows.find(({ id }) => id === 'rate')?.b).toMatchObject({ text: '30', interval: '27 to 34' });
  });

  it.each([
    [20, '$0.20'],
    [9.5, '$0.095'],
    [0.27, '$0.0027'],
  ])('shows costs with two digits at least: %d dollars of 100 sessions', (usd, text) => {
    const rows = compareRows(amounts(100, 1, usd), amounts(100, 1, usd));
    expect(rows.find(({ id }) => id === 'usd')?.a.text).toBe(text);
  });

  it('shows a tenth of small rates and shares', () => {
    const [, looping, rate] = compareRows(amounts(300, 1, 1), amounts(400, 10, 1));
    expect([looping?.a.text, looping?.b.text]).toEqual(['0.3%', '2.5%']);
    expect([rate?.a.text, rate?.b.text, rate?.b.interval]).toEqual(['0.3', '2.5', '1.4 to 4.6']);
  });

  it('begins with the two values that have the most sessions, the older version first', () => {
    const sessions = { '1.0.0': 3, '2.10.0': 120, '2.9.0': 119 };
    const groups = Object.entries(sessions).map(([value, count]) => ({ ...amounts(count, 0, 1), value }));
    const total = amounts(242, 0, 1);
    const apart = { limits: 0, outages: 0 };
    const found = {
      groupBy: 'agentVersion',
      from: 0,
      to: 1,
      previous: null,
      groups,
      other: null,
      total,
      apart,
    };
    expect(mostUsed(found)).toEqual(['2.9.0', '2.10.0', '1.0.0']);
  });

  it('has an address of its own, and names what it does not know', () => {
    const view = { by: 'model', a: 'm 1', b: 'm/2', range: { kind: 'last', span: '24h' } } as const;
    expect(readCompare(writeCompare(view))).toEqual({ ...view, ignored: [] });
    expect(readCompare({ by: 'tool' })).toMatchObject({ by: 'agentVersion', ignored: ['by=tool'] });
    expect(readCompare({ by: 'tag:env' })).toMatchObject({ by: 'tag:env', ignored: [] });
  });
});
