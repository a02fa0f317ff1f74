import type { SessionSummary } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { sessionItems } from '../../src/sessions/read-sessions.ts';
import { addSummary, type StoredSession } from '../../src/sessions/session-parts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary } from '../verdicts.ts';

const HOUR = 3_600_000;

/** The summary of a part that begins at this offset, `events` events later. */
function partAt(offset: number, events: number, more: Partial<SessionSummary> = {}): SessionSummary {
  return summary('s', {
    startedAt: START + offset * HOUR,
    lastEventAt: START + offset * HOUR + events,
    events,
    toolCalls: events,
    tokens: { input: events * 10, output: events },
    usd: events / 8,
    incidents: { open: 0, total: 1, byDetector: { 'tool-repeat': 1 } },
    progress: [],
    source: {
      topic: 'events',
      partition: 0,
      firstOffset: String(offset),
      lastOffset: String(offset + events - 1),
    },
    ...more,
  });
}

function whole(summaries: readonly SessionSummary[]): StoredSession['doc'] | undefined {
  let stored: StoredSession | undefined;
  for (const one of summaries) stored = addSummary(stored, one);
  return stored?.doc;
}

describe('the sums of a session with long pauses', () => {
  it('add up its parts, each by its latest summary', () => {
    const parts = [partAt(0, 2), partAt(0, 12), partAt(100, 1), partAt(100, 3)];
    expect(whole(parts)).toMatchObject({
      startedAt: START,
      lastEventAt: START + 100 * HOUR + 3,
      events: 15,
      toolCalls: 15,
      tokens: { input: 150, output: 15 },
      usd: 15 / 8,
      incidents: { open: 0, total: 2, byDetector: { 'tool-repeat': 2 } },
      source: { firstOffset: '100', lastOffset: '102' },
    });
  });

  it('equal an independent count, however often and from where the records are read again', () => {
    const history = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(history, fc.nat(59), fc.boolean(), (sizes, again, isTwice) => {
        const records = sizes.flatMap((size, i) => [partAt(i * 10, 1), partAt(i * 10, size)]);
        const read = isTwice
          ? [...records, ...records.slice(2 * Math.min(again, sizes.length - 1))]
          : records;
        const events = sizes.reduce((sum, size) => sum + size, 0);
        expect(whole(read)).toMatchObject({
          events,
          toolCalls: events,
          startedAt: START,
          incidents: { total: sizes.length },
          source: { firstOffset: String((sizes.length - 1) * 10) },
        });
      }),
    );
  });

  it('are replaced when the topic is analyzed again from an offset in the middle', () => {
    expect(whole([partAt(0, 12), partAt(100, 3), partAt(4, 8)])).toMatchObject({ events: 11 });
  });

  /** The part that begins at `offset`, as read again at other offsets of the log. */
  const again = (offset: number, events: number): SessionSummary => ({
    ...partAt(offset, events),
    source: partAt(offset + 200, events).source,
  });

  it.each([
    ['all of it', [again(0, 4), again(0, 12), again(100, 1), again(100, 3)], 15],
    ['all of it, and what has happened since', [again(0, 12), again(100, 3), again(100, 5)], 17],
    ['its first part', [again(0, 12)], 15],
    ['a piece of its first part', [again(0, 4)], 15],
    ['a piece of its last part', [again(100, 2)], 15],
  ])('count history once that is sent again after it was forgotten: %s', (_, records, events) => {
    expect(whole([partAt(0, 12), partAt(100, 3), ...records])).toMatchObject({
      startedAt: START,
      lastEventAt: START + 100 * HOUR + events - 12,
      events,
      tokens: { input: events * 10, output: events },
      incidents: { total: 2 },
    });
  });

  it('have no cost if a part has no known price, and ignore parts without usage', () => {
    expect(whole([partAt(0, 2, { usd: null }), partAt(10, 1)])?.usd).toBeNull();
    const unpaid = partAt(10, 1, { usd: null, tokens: null });
    expect(whole([partAt(0, 2), unpaid])).toMatchObject({ usd: 2 / 8, tokens: { input: 20, output: 2 } });
  });

  it('keep the growth of events over time', () => {
    const parts = [partAt(0, 4, { progress: [1000, 4] }), partAt(4, 6, { progress: [500, 3, 900, 6] })];
    expect(whole(parts)?.progress).toEqual([1000, 4, 4 * HOUR, 4, 4 * HOUR + 500, 7, 4 * HOUR + 900, 10]);
  });
});

onBothDatabases(({ make }) => {
  it('a session shows what it used before a pause, whether the records come in one batch or in several', async () => {
    const { database } = await make();
    const records = [partAt(0, 12), partAt(100, 1), partAt(100, 3)].map((one) => ({
      summary: one,
      at: START,
    }));
    await writeSummaries(
      database,
      records.map((record) => ({ ...record, id: 'one' })),
    );
    for (const record of records) await writeSummaries(database, [{ ...record, id: 'several' }]);
    for (const item of await sessionItems(database, ['one', 'several'], START))
      expect(item).toMatchObject({
        events: 15,
        toolCalls: 15,
        startedAt: START,
        parts: [
          { startedAt: START, events: 12, source: { firstOffset: '0', lastOffset: '11' } },
          { startedAt: START + 100 * HOUR, events: 3, source: { firstOffset: '100', lastOffset: '102' } },
        ],
      });
  });

  it('an incident that a pause left open stays quiet, also in the counts of its session', async () => {
    const { database } = await make();
    const incidents = { total: 1, byDetector: { 'tool-repeat': 1 } };
    const records = [
      partAt(0, 12, { incidents: { ...incidents, open: 1 } }),
      partAt(100, 1, { incidents: { ...incidents, open: 1 } }),
    ];
    const at = START + 100 * HOUR + 1;
    await writeSummaries(
      database,
      records.map((one) => ({ id: 's', summary: one, at })),
    );
    const counts = async (now: number) => (await sessionItems(database, ['s'], now))[0]?.incidents;
    expect(await counts(at)).toMatchObject({ open: 1, quiet: 1, total: 2 });
    expect(await counts(at + HOUR)).toMatchObject({ open: 0, quiet: 2, total: 2 });
    await writeSummaries(database, [
      { id: 's', summary: partAt(100, 3, { incidents: { ...incidents, open: 0 } }), at: at + 2 },
    ]);
    expect(await counts(at + 2)).toMatchObject({ open: 0, quiet: 1, total: 2 });
  });
});
