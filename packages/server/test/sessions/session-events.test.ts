import type { SessionEvent, SessionItem } from '@loopwatch/contract/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionEvents } from '../../src/sessions/session-events.ts';
import { MemoryLog } from '../memory-log.ts';
import { topics } from '../running-server.ts';
import { summary } from '../verdicts.ts';

/** What a partition may hold, between others': events with and without ids, the same id again, what cannot be read. */
const anyRecord = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('own' as const), id: fc.option(fc.nat(6), { nil: undefined }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('other' as const, 'mention' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('broken' as const) }) },
);

interface Content {
  readonly kind: 'own' | 'other' | 'mention' | 'broken';
  readonly id?: number | undefined;
}

function logOf(contents: readonly Content[]) {
  const log = new MemoryLog();
  const expected: { offset: number; eventIndex: number | null }[] = [];
  const known = new Set<number>();
  let index = 0;
  let last = 0;
  contents.forEach((content, offset) => {
    const event = { type: 'content', text: 'x', time: offset };
    const write = (value: string, key: string): void => {
      log.append(topics.events, value, { key });
    };
    if (content.kind === 'other') {
      write(JSON.stringify({ ...event, sessionId: 'other' }), 'other');
      return;
    }
    if (content.kind === 'mention') {
      write(JSON.stringify({ ...event, text: 's-1' }), 'other');
      return;
    }
    if (content.kind === 'broken') {
      expected.push({ offset, eventIndex: null });
      write('{"type"', 's-1');
      return;
    }
    const { id } = content;
    const isDuplicate = id !== undefined && known.has(id);
    expected.push({ offset, eventIndex: isDuplicate ? null : index });
    write(JSON.stringify({ ...event, ...(id !== undefined && { id: `e-${String(id)}` }) }), 's-1');
    if (isDuplicate) return;
    if (id !== undefined) known.add(id);
    index += 1;
    last = offset;
  });
  const [first] = expected;
  const source = {
    topic: topics.events,
    partition: 0,
    firstOffset: String(contents.findIndex(({ kind }) => kind === 'own')),
    lastOffset: String(last),
  };
  return { log, expected, events: index, source, first };
}

function sessionOf(
  { events, source }: ReturnType<typeof logOf>,
  state: SessionItem['state'] = 'live',
): SessionItem {
  const session = summary('s-1', { events, source });
  const incidents = { ...session.incidents, quiet: 0 };
  return { ...session, incidents, state, lastActivityAt: 0, updatedAt: 0 };
}

const placed = (items: readonly SessionEvent[]) =>
  items.map(({ offset, eventIndex }) => ({ offset: Number(offset), eventIndex }));

describe('a session read back from the log', () => {
  const contents = fc
    .array(anyRecord, { minLength: 1, maxLength: 60 })
    .map((all) => [{ kind: 'own' as const }, ...all]);

  it('is the same page by page, in both directions, as in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.integer({ min: 1, max: 9 }), async (all, limit) => {
        const held = logOf(all);
        const reader = held.log.records();
        const session = sessionOf(held);
        const onwards: SessionEvent[] = [];
        for (let query: object = { limit }; ; ) {
          const { items, after } = await sessionEvents(reader, { session, query });
          onwards.push(...items);
          if (items.length === 0 || after === null) break;
          query = { limit, after };
        }
        expect(placed(onwards)).toEqual(held.expected);
        const back: SessionEvent[] = [];
        for (let query: object = { limit, end: true }; ; ) {
          const { items, before } = await sessionEvents(reader, { session, query });
          back.unshift(...items);
          if (before === null) break;
          query = { limit, before };
        }
        expect(placed(back)).toEqual(held.expected);
      }),
      { numRuns: 80 },
    );
  });

  it('is read around any index, which is on the page with the index that it has in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.integer({ min: 1, max: 9 }), async (all, limit) => {
        const held = logOf(all);
        const session = sessionOf(held);
        for (let at = 0; at < held.events; at += 1) {
          const { items } = await sessionEvents(held.log.records(), { session, query: { at, limit } });
          expect(items.map(({ eventIndex }) => eventIndex)).toContain(at);
          const offsets = new Set(items.map(({ offset }) => Number(offset)));
          expect(placed(items)).toEqual(held.expected.filter(({ offset }) => offsets.has(offset)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is read around an index behind the latest summary, and at the end for one that does not exist', async () => {
    const held = logOf(Array.from({ length: 40 }, () => ({ kind: 'own' as const })));
    const old = { ...held, events: 10, source: { ...held.source, lastOffset: '9' } };
    const read = async (at: number) => {
      const query = { at, limit: 4 };
      const { items } = await sessionEvents(held.log.records(), { session: sessionOf(old), query });
      return items.map(({ eventIndex }) => eventIndex);
    };
    expect(await read(25)).toEqual([24, 25, 26, 27]);
    expect(await read(400)).toEqual([36, 37, 38, 39]);
  });

  it.each(['forward', 'backward'])('recognizes a copied history, page by page %s', async (way) => {
    const history = Array.from({ length: 300 }, (_, id) => ({ kind: 'own' as const, id }));
    const held = logOf([...history, ...history, ...history, { kind: 'own' }, ...history]);
    const reader = held.log.records();
    const session = sessionOf(held);
    const read: SessionEvent[] = [];
    let query: object | undefined = way === 'forward' ? { limit: 50 } : { limit: 50, end: true };
    while (query !== undefined) {
      const { items, before, after } = await sessionEvents(reader, { session, query });
      if (way === 'forward') read.push(...items);
      else read.unshift(...items);
      const cursor = way === 'forward' ? { after } : { before };
      const isEnd = items.length === 0 || (way === 'forward' ? after : before) === null;
      query = isEnd ? undefined : { limit: 50, ...cursor };
    }
    expect(placed(read)).toEqual(held.expected);
  });

  it('serializes deeply nested events as text', async () => {
    const held = logOf([{ kind: 'own' }]);
    const args = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const call = `{"sessionId":"s-1","type":"tool_call_request","name":"read","args":${args}}`;
    held.log.append(topics.events, call, { key: 's-1' });
    const page = await sessionEvents(held.log.records(), { session: sessionOf(held), query: {} });
    const written = JSON.parse(JSON.stringify(page)) as typeof page;
    expect(written.items.map(({ event }) => event?.['args'])).toEqual([undefined, args]);
  });

  it('is read around an event, which keeps its index', async () => {
    const held = logOf(Array.from({ length: 300 }, () => ({ kind: 'own' as const })));
    const around = { offset: 150, index: 150 };
    const { items, before, after } = await sessionEvents(held.log.records(), {
      session: sessionOf(held),
      query: { limit: 20, around: 'i-1' },
      around,
    });
    expect(placed(items).map(({ eventIndex }) => eventIndex)).toEqual(
      Array.from({ length: 20 }, (_, n) => 141 + n),
    );
    const earlier = await sessionEvents(held.log.records(), {
      session: sessionOf(held),
      query: { before: before! },
    });
    expect(earlier.items.at(-1)?.eventIndex).toBe(140);
    const later = await sessionEvents(held.log.records(), {
      session: sessionOf(held),
      query: { after: after! },
    });
    expect(later.items[0]?.eventIndex).toBe(161);
  });

  it('reports a deleted start, and still numbers events from the end', async () => {
    const held = logOf(Array.from({ length: 50 }, () => ({ kind: 'own' as const })));
    const reader = held.log.records();
    const cut = {
      ...reader,
      bounds: () => Promise.resolve({ start: 30, end: 50 }),
    };
    const session = sessionOf(held);
    const start = await sessionEvents(cut, { session, query: { limit: 5 } });
    expect([start.gone, start.items[0]?.offset, start.items[0]?.eventIndex]).toEqual([true, '30', null]);
    const end = await sessionEvents(cut, { session, query: { limit: 5, end: true } });
    expect(end.items.map(({ eventIndex }) => eventIndex)).toEqual([45, 46, 47, 48, 49]);
  });

  it('has an end even if other sessions have written more since than one request scans', async () => {
    const held = logOf([{ kind: 'own' }, { kind: 'own' }, ...Array(100_100).fill({ kind: 'other' })]);
    const query = { limit: 5, end: true };
    const session = sessionOf(held, 'quiet');
    const end = await sessionEvents(held.log.records(), { session, query });
    expect(end.items.map(({ eventIndex }) => eventIndex)).toEqual([0, 1]);
    expect(end.before).toBeNull();
    held.log.append(topics.events, JSON.stringify({ type: 'content', text: 'x', sessionId: 's-1' }), {
      key: 's-1',
    });
    const later = await sessionEvents(held.log.records(), { session, query: { after: end.after! } });
    expect(later.items.map(({ eventIndex }) => eventIndex)).toEqual([2]);
  });

  it('has no next page after an ended session, but after a live one', async () => {
    const held = logOf([{ kind: 'own' }, { kind: 'other' }]);
    const reader = held.log.records();
    expect((await sessionEvents(reader, { session: sessionOf(held, 'ended'), query: {} })).after).toBeNull();
    expect((await sessionEvents(reader, { session: sessionOf(held), query: {} })).after).not.toBeNull();
  });

  it('is read one part at a time if it paused, each with indexes of its own', async () => {
    const held = logOf(Array.from({ length: 30 }, () => ({ kind: 'own' as const })));
    const partOf = (first: number, last: number) => ({
      startedAt: 0,
      events: last - first + 1,
      source: { ...held.source, firstOffset: String(first), lastOffset: String(last) },
    });
    const parts = [partOf(0, 9), partOf(10, 17), partOf(18, 29)];
    const session = { ...sessionOf(held), source: parts[2]!.source, parts };
    const read = async (query: object, around?: { offset: number; index: number }) => {
      const page = await sessionEvents(held.log.records(), { session, query, around });
      const indexes = page.items.map(({ eventIndex }) => eventIndex);
      return { ...page, offsets: page.items.map(({ offset }) => Number(offset)), indexes };
    };
    const ofTwo = { total: 8, offsets: [10, 11, 12, 13, 14, 15, 16, 17], indexes: [0, 1, 2, 3, 4, 5, 6, 7] };
    expect(await read({ part: 12 })).toMatchObject({ ...ofTwo, after: null, before: null });
    expect(await read({ around: 'i-1' }, { offset: 15, index: 5 })).toMatchObject(ofTwo);
    expect(await read({ part: 10, end: true, limit: 2 })).toMatchObject({ indexes: [6, 7] });
    const { after } = await read({ part: 0, limit: 4 });
    const rest = await read({ after: after! });
    expect(rest).toMatchObject({ offsets: [4, 5, 6, 7, 8, 9], after: null });
    expect(await read({ before: rest.before! })).toMatchObject({ indexes: [0, 1, 2, 3] });
    expect(await read({})).toMatchObject({
      total: 12,
      offsets: [18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
    });
  });
});
