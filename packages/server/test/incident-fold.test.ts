import type { Verdict } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncidentStore } from '../src/incident-store.ts';
import { START, verdict } from './verdicts.ts';

const opened = verdict({ count: 5 });
const escalated = verdict({ phase: 'escalated', action: 'block', count: 10, time: START + 5_000 });
const resolved = verdict({
  phase: 'resolved',
  count: 12,
  time: START + 9_000,
  reason: 'read_file had been called 12 times; a different call followed',
  evidence: {},
});

function storeOf(verdicts: readonly Verdict[], limit = 100): IncidentStore {
  const store = new IncidentStore({ limit });
  for (const one of verdicts) store.apply(one, START);
  return store;
}

describe('an incident is the fold of its verdicts', () => {
  const cases: [string, Verdict[], object][] = [
    [
      'opened',
      [opened],
      { state: 'open', outcome: null, count: 5, action: 'warn', resolvedAt: null, revision: 1 },
    ],
    ['escalated', [opened, escalated], { state: 'open', count: 10, action: 'block', openedAt: START }],
    [
      'resolved: keeps the strongest action and what the loop was',
      [opened, escalated, resolved],
      {
        state: 'resolved',
        outcome: 'recovered',
        count: 12,
        action: 'block',
        resolvedAt: START + 9_000,
        reason: resolved.reason,
        resolution: resolved.reason,
        evidence: escalated.evidence,
      },
    ],
    [
      'resolved, of text: the reason still quotes it',
      [
        verdict({ tool: null, reason: '“again” repeats' }),
        { ...resolved, tool: null, reason: 'A text was repeated' },
      ],
      { reason: '“again” repeats', resolution: 'A text was repeated' },
    ],
    [
      'resolved with fuller evidence',
      [opened, { ...resolved, evidence: { matching: 'exact', calls: [1] } }],
      { evidence: { matching: 'exact', calls: [1] } },
    ],
    [
      'resolved with less evidence',
      [opened, { ...resolved, evidence: { at: 7 } }],
      { evidence: { matching: 'exact', calls: [] } },
    ],
    [
      'resolved without a word on how',
      [verdict({ phase: 'resolved', outcome: undefined })],
      { outcome: 'ended' },
    ],
    ['guidance stays', [verdict({ guidance: 'Stop.' }), escalated], { guidance: 'Stop.' }],
    [
      'late: the resolution came first',
      [resolved, opened],
      { state: 'resolved', count: 12, openedAt: START },
    ],
  ];

  it.each(cases)('%s', (_name, verdicts, expected) => {
    expect(storeOf(verdicts).get('i-1')).toMatchObject(expected);
  });

  it('keeps the first and the latest of very many verdicts', () => {
    const many = Array.from({ length: 100 }, (_, n) => verdict({ phase: 'escalated', count: n + 6 }));
    const incident = storeOf([opened, ...many]).get('i-1');
    expect(incident?.verdicts).toHaveLength(32);
    expect(incident?.verdicts[0]?.count).toBe(5);
    expect(incident?.verdicts.at(-1)?.count).toBe(105);
    expect(incident?.revision).toBe(101);
  });

  it('takes the arrival where a verdict does not say when it was made', () => {
    const store = new IncidentStore();
    store.apply(verdict({ detectedAt: undefined }), 777);
    expect(store.row('i-1')?.detectedAt).toBe(777);
  });
});

describe('the store', () => {
  it('says what a verdict did', () => {
    const store = new IncidentStore();
    expect([opened, opened, escalated, opened, resolved].map((one) => store.apply(one, 0))).toEqual([
      'opened',
      'duplicate',
      'changed',
      'duplicate',
      'changed',
    ]);
  });

  it('gives the same whatever the order and however often verdicts come', () => {
    const life = ['i-1', 'i-2', 'i-3'].flatMap((incidentId, n) =>
      [opened, escalated, resolved].slice(0, 3 - (n % 2)).map((one) => ({
        ...one,
        incidentId,
        id: `${incidentId}/${one.phase}`,
        time: one.time + n * 1_000,
      })),
    );
    const expected = storeOf(life);
    const anyOrder = fc
      .shuffledSubarray(life, { minLength: life.length })
      .chain((order) => fc.tuple(fc.constant(order), fc.array(fc.constantFrom(...life), { maxLength: 20 })))
      .map(([order, again]) => [...order, ...again]);
    fc.assert(
      fc.property(anyOrder, (verdicts) => {
        const store = storeOf(verdicts);
        expect(store.rows()).toEqual(expected.rows());
        expect(store.stats(START)).toEqual(expected.stats(START));
        for (const { id } of expected.rows()) expect(store.get(id)).toEqual(expected.get(id));
      }),
      { numRuns: 60 },
    );
  });

  it('lists the newest detection first', () => {
    const store = storeOf([1, 3, 2].map((n) => verdict({ incidentId: `i-${String(n)}`, time: START + n })));
    expect(store.rows().map(({ id }) => id)).toEqual(['i-3', 'i-2', 'i-1']);
  });

  it('drops resolved incidents first, the oldest of them before the others, and counts them', () => {
    const store = storeOf(
      [
        verdict({ incidentId: 'open-1', time: START }),
        verdict({ incidentId: 'over-1', phase: 'resolved', time: START + 1 }),
        verdict({ incidentId: 'over-2', phase: 'resolved', time: START + 2 }),
        verdict({ incidentId: 'open-2', time: START + 3 }),
        verdict({ incidentId: 'open-3', time: START + 4 }),
        verdict({ incidentId: 'open-4', time: START + 5 }),
      ],
      3,
    );
    expect(store.rows().map(({ id }) => id)).toEqual(['open-4', 'open-3', 'open-2']);
    expect(store.stats(START)).toMatchObject({ kept: 3, dropped: 3, found: 6, calls: 30, open: 3 });
    expect(store.stats(START).resolved).toEqual({ recovered: 2, ended: 0, disabled: 0 });
  });

  it('does not bring back half of an incident that it dropped', () => {
    const store = storeOf([opened, verdict({ incidentId: 'i-2', time: START + 1 })], 1);
    expect(store.apply(resolved, 0)).toBe('forgotten');
    expect(store.get('i-1')).toBeUndefined();
  });

  it('never holds more than its limit', () => {
    const anyVerdict = fc
      .record({
        n: fc.integer({ min: 1, max: 30 }),
        phase: fc.constantFrom('opened', 'escalated', 'resolved'),
      })
      .map(({ n, phase }) => verdict({ incidentId: `i-${String(n)}`, phase: phase }));
    fc.assert(
      fc.property(fc.array(anyVerdict, { maxLength: 80 }), (verdicts) => {
        const stats = storeOf(verdicts, 4).stats(START);
        expect(stats.kept).toBeLessThanOrEqual(4);
        expect(stats.found).toBe(new Set(verdicts.map(({ incidentId }) => incidentId)).size);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the numbers', () => {
  const cost = (tokens: number | null) => ({ calls: 2, turns: 2, characters: 0, tokens, ms: 0 });
  const stats = (...verdicts: Verdict[]) => storeOf(verdicts).stats(START + 60_000);

  it('know no tokens where nobody reports any, and add what is reported', () => {
    expect(stats(opened).tokens).toBeNull();
    const mixed = stats(verdict({ cost: cost(null) }), verdict({ incidentId: 'i-2', cost: cost(70) }));
    expect(mixed).toMatchObject({ calls: 4, tokens: 70 });
  });

  it('count each incident once, with its latest cost', () => {
    expect(stats(opened, escalated)).toMatchObject({ found: 1, calls: 10, open: 1 });
    expect(stats(opened, escalated).openByDetector).toEqual({ 'tool-repeat': 1 });
  });

  it('give a latency only where event times are from now', () => {
    expect(stats(opened).latency).toEqual({ p50Ms: 12, incidents: 1 });
    expect(stats(verdict({ detectedAt: START + 86_400_000 })).latency).toBeNull();
    expect(stats(verdict({ detectedAt: START - 1 })).latency).toBeNull();
  });

  it('place detections in the last hour', () => {
    const old = verdict({ incidentId: 'i-2', time: START - 3_600_000 });
    const { foundPerMinute, foundSince } = stats(opened, old);
    expect(foundPerMinute).toHaveLength(60);
    expect(foundPerMinute[59]).toBe(1);
    expect(foundPerMinute.reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(foundSince).toBe(START - 3_600_000 + 12);
  });
});
