import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparator, isOpen, matches, mergeRows } from '../src/incidents/merge.ts';
import { allTime } from '../src/lib/time-range.ts';
import { FrameBuffer } from '../src/live/frame-buffer.ts';
import { linkText } from '../src/live/link-text.ts';
import { createLiveStore, hasRemovals, MAX_HELD } from '../src/live/live-store.ts';
import { changes, NOW, row, session, snapshot, stats } from './rows.ts';

const view = { filter: {}, range: allTime, sort: '-detectedAt' };

describe('the live store', () => {
  it('keeps the latest version of each incident, and tracks new arrivals', () => {
    const store = createLiveStore();
    store.applySnapshot(snapshot([row()]), NOW);
    store.applyChanges(changes({ incidents: [row({ id: 'i-2' })], stats: stats({ found: 2 }) }), NOW);
    store.applyChanges(changes({ sequence: 3, incidents: [row({ count: 10, revision: 2 })] }), NOW);
    const { incidents, arrived, stats: numbers, sequence } = store.getState();
    expect([...incidents.values()].map(({ id, count }) => [id, count])).toEqual([
      ['i-2', 5],
      ['i-1', 10],
    ]);
    expect([...arrived]).toEqual(['i-2']);
    expect(numbers?.found).toBe(2);
    expect(sequence).toBe(3);
  });

  it('holds a limited number of changes, and counts the dropped ones', () => {
    const store = createLiveStore();
    store.applySnapshot(snapshot([]), NOW);
    const incidents = Array.from({ length: MAX_HELD + 30 }, (_, n) => row({ id: `i-${String(n)}` }));
    store.applyChanges(changes({ incidents, dropped: { incidents: 5, sessions: 0 } }), NOW);
    expect(store.getState().incidents.size).toBe(MAX_HELD);
    expect(store.getState().incidents.has(`i-${String(MAX_HELD + 29)}`)).toBe(true);
    expect(store.getState().dropped).toBeGreaterThanOrEqual(35);
    const { dropped } = store.getState();
    store.applyChanges(changes({ dropped: { incidents: 3, sessions: 0 } }), NOW);
    store.subtractDropped(dropped);
    expect(store.getState().dropped, 'left out since').toBe(3);
  });

  it('stays cut when changes from before the cut are applied after it', () => {
    const store = createLiveStore();
    store.applySnapshot(snapshot([row()]), NOW);
    store.onDisconnect(NOW);
    store.applyChanges(changes({ incidents: [row({ id: 'i-2' })] }), NOW);
    expect(store.getState().incidents.size).toBe(2);
    expect(store.getState().link).toEqual({ state: 'reconnecting', since: NOW });
    store.onConnect();
    expect(store.getState().link).toEqual({ state: 'live' });
  });

  it('is replaced by the snapshot after a reconnect', () => {
    const store = createLiveStore();
    store.applySnapshot(snapshot([row(), row({ id: 'i-2' })]), NOW);
    store.onDisconnect(NOW);
    expect(store.getState().incidents.size).toBe(2);
    store.applySnapshot(snapshot([row()]), NOW);
    expect(store.getState().incidents.size).toBe(1);
  });

  it('detects that the server has removed incidents', () => {
    const store = createLiveStore();
    expect(hasRemovals(store.getState(), changes({ stats: stats({ dropped: 3 }) }))).toBe(false);
    store.applySnapshot(snapshot([row()], { dropped: 3 }), NOW);
    expect(hasRemovals(store.getState(), changes({}))).toBe(false);
    expect(hasRemovals(store.getState(), changes({ stats: stats({ dropped: 3 }) }))).toBe(false);
    expect(hasRemovals(store.getState(), changes({ stats: stats({ dropped: 4 }) }))).toBe(true);
  });

  it('describes the state of the connection', () => {
    const store = createLiveStore();
    expect(linkText(store.getState(), NOW).text).toBe('Connecting…');
    store.onConnectError('xhr poll error');
    expect(linkText(store.getState(), NOW)).toMatchObject({ tone: 'hot', text: 'No connection' });
    store.applySnapshot(snapshot([]), NOW);
    const beat = {
      serverTime: NOW,
      lag: 0,
      readTo: null,
      lastEventAt: NOW - 4_000,
      lastVerdictAt: NOW,
      reason: null,
    };
    store.applyHeartbeat({ ...beat, log: 'up' }, NOW);
    expect(linkText(store.getState(), NOW)).toEqual({ tone: 'ok', text: 'Live', last: 'last event 4 s ago' });
    expect(linkText(store.getState(), NOW + 60_000).text).toMatch(/^Stale since \d\d:\d\d:\d\d$/);
    store.applyHeartbeat({ ...beat, log: 'down', reason: 'no broker answers' }, NOW);
    expect(linkText(store.getState(), NOW)).toMatchObject({
      tone: 'hot',
      text: 'The server lost its connection to the event log',
    });
    // Some lag is normal; the pages of a server that is behind are not live.
    store.applyHeartbeat({ ...beat, log: 'up', lag: 9, readTo: NOW - 2_000 }, NOW);
    expect(linkText(store.getState(), NOW)).toMatchObject({ tone: 'ok', text: 'Live' });
    store.applyHeartbeat({ ...beat, log: 'up', lag: 491_000, readTo: NOW - 300_000 }, NOW);
    expect(linkText(store.getState(), NOW)).toMatchObject({ tone: 'warm', text: '5 min behind' });
    store.onDisconnect(NOW);
    expect(linkText(store.getState(), NOW).text).toContain('Reconnecting');
    store.onConnect();
    expect(store.getState().link.state).toBe('live');
  });
});

describe('FrameBuffer', () => {
  it('applies all changes of a frame at once, each item in its latest version', () => {
    const applied: ReturnType<typeof changes>[] = [];
    let flush: () => void = () => undefined;
    const buffer = new FrameBuffer(
      (message) => applied.push(message),
      (later) => {
        flush = later;
      },
    );
    buffer.add(changes({ incidents: [row({ count: 5 })], sessions: [session()], settings: ['server'] }));
    buffer.add(changes({ sequence: 3, incidents: [row({ count: 6 })], stats: stats({ open: 9 }) }));
    expect(applied).toEqual([]);
    flush();
    expect(applied).toHaveLength(1);
    expect(applied[0]?.incidents.map(({ count }) => count)).toEqual([6]);
    expect(applied[0]).toMatchObject({ sequence: 3, settings: ['server'], stats: { open: 9 } });
    buffer.add(changes({ incidents: [row()] }));
    buffer.clear();
    flush();
    expect(applied).toHaveLength(1);
  });
});

describe('loaded rows merged with live changes', () => {
  const live = (...items: ReturnType<typeof row>[]) => new Map(items.map((item) => [item.id, item]));

  it('are updated in place, extended in order, and filtered', () => {
    const read = [row({ id: 'b', detectedAt: 20 }), row({ id: 'a', detectedAt: 10 })];
    const told = live(
      row({ id: 'c', detectedAt: 30 }),
      row({ id: 'a', detectedAt: 10, state: 'resolved', revision: 2 }),
      row({ id: 'old', detectedAt: 1 }),
    );
    const ids = (filter: object, whole: boolean) =>
      mergeRows(read, told, { ...view, filter }, whole, NOW).map(({ id }) => id);
    expect(ids({}, true)).toEqual(['c', 'b', 'a', 'old']);
    expect(ids({}, false)).toEqual(['c', 'b', 'a']);
    expect(ids({ state: ['open'] }, false)).toEqual(['c', 'b']);
  });

  it('leave out what the server lists on a later page, also among rows of the same time', () => {
    const at = (id: string) => row({ id, detectedAt: 10 });
    const told = live(at('d'), at('c'), at('b'), at('a'));
    const ids = mergeRows([at('d'), at('c')], told, view, false, NOW).map(({ id }) => id);
    expect(ids).toEqual(['d', 'c']);
  });

  it('never revert to an older revision of verdicts or triage', () => {
    const judged = {
      status: 'muted' as const,
      mutedUntil: null,
      note: null,
      assignee: null,
      by: 'o',
      at: NOW,
      revision: 3,
    };
    const [shown] = mergeRows([row({ triage: judged })], live(row({ revision: 1 })), view, true, NOW);
    expect(shown?.triage.status).toBe('muted');
  });

  it('are sorted, without duplicates', () => {
    const item = fc
      .record({ id: fc.integer({ min: 0, max: 30 }), detectedAt: fc.integer({ min: 0, max: 50 }) })
      .map(({ id, detectedAt }) => row({ id: `i-${String(id)}`, detectedAt }));
    fc.assert(
      fc.property(fc.array(item), fc.array(item), (read, told) => {
        const sorted = [...live(...read).values()].sort(comparator('-detectedAt'));
        const rows = mergeRows(sorted, live(...told), view, true, NOW);
        expect(rows).toEqual(rows.toSorted(comparator('-detectedAt')));
        expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
        expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([...sorted, ...told].map(({ id }) => id)));
      }),
    );
  });

  it('match filters as on the server', () => {
    const fits = (filter: object, part: Parameters<typeof row>[0] = {}) =>
      matches(row(part), filter, allTime, NOW);
    expect(fits({ q: 'READ_file' })).toBe(true);
    expect(fits({ q: 'nothing' })).toBe(false);
    expect(fits({ detector: ['semantic', 'tool-repeat'], tool: ['read_file'] })).toBe(true);
    expect(fits({ tool: ['ls'] })).toBe(false);
    expect(matches(row(), {}, { kind: 'last', span: '15m' }, NOW)).toBe(true);
    expect(matches(row(), {}, { kind: 'last', span: '15m' }, NOW + 3_600_000)).toBe(false);
  });

  it('treat an expired mute as no mute', () => {
    const triage = {
      status: 'muted' as const,
      mutedUntil: NOW,
      note: null,
      assignee: null,
      by: 'o',
      at: 1,
      revision: 1,
    };
    expect(isOpen(row({ triage }), NOW - 1)).toBe(false);
    expect(isOpen(row({ triage }), NOW)).toBe(true);
    expect(matches(row({ triage }), { triage: ['new'] }, allTime, NOW)).toBe(true);
  });
});
