import { detectionSchema, type Verdict } from '@loopwatch/contract';
import { LogError } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { Feeds } from '../../src/feed/feeds.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { MemoryLog } from '../memory-log.ts';
import { silent, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

function feedsOf(
  database: Database,
  log: MemoryLog,
  logger = silent,
  more: Partial<ConstructorParameters<typeof Feeds>[0]> = {},
): Feeds {
  const configured = { settings: detectionSchema.parse({}) };
  return new Feeds({
    log,
    configured,
    topics,
    database,
    logger,
    metrics: createServerMetrics(new Registry()),
    enqueue: () => Promise.resolve(),
    onStored: () => undefined,
    onMarks: () => undefined,
    budgets: { add: () => Promise.resolve(), wake: () => undefined },
    subAgents: { note: () => undefined },
    sink: log.sink(),
    now: () => START,
    ...more,
  });
}

async function readAll(feeds: Feeds, log: MemoryLog): Promise<void> {
  await feeds.run();
  await waitFor(() => log.delivered);
}

/** Everything a database holds that does not say when it was written. */
async function contents(database: Database): Promise<unknown> {
  return {
    verdicts: await database.query('select * from verdicts join verdict_docs using (id) order by id'),
    incidents: (await database.query('select * from incidents order by id')).map((row) => ({
      ...row,
      change: 0,
    })),
    docs: await database.query('select * from incident_docs order by id'),
    sessions: (await database.query('select * from sessions order by id')).map((row) => ({
      ...row,
      change: 0,
    })),
    positions: await database.query('select * from topic_offsets order by topic, partition'),
    stats: await currentStats(database, START),
  };
}

function lives(count: number): Verdict[] {
  const phases = ['opened', 'escalated', 'resolved'] as const;
  return Array.from({ length: count * 3 }, (_, n) => {
    const phase = phases[n % 3] ?? 'opened';
    return verdict({
      incidentId: `i-${String(Math.floor(n / 3))}`,
      phase,
      count: 5 + (n % 3),
      time: START + n,
    });
  });
}

onBothDatabases(({ make, kind, disconnect }) => {
  it('feed: while records are waiting it says up to when all are stored', async () => {
    const log = new MemoryLog();
    const all = lives(400);
    for (const one of all) log.appendVerdict({ ...one, detectedAt: one.time + 7 });
    const { database } = await make();
    const seen: (number | null)[] = [];
    const feeds = feedsOf(database, log, silent, { onStored: () => seen.push(feeds.readTo) });
    await readAll(feeds, log);
    await waitFor(() => feeds.lag === 0);
    // Of transactions of 500: before the first nothing is known, then the time of the latest record of the previous one.
    expect(seen).toEqual([null, START + 499 + 7, START + 999 + 7]);
    expect(feeds.readTo).toBeNull();
    await feeds.stop();
  });

  it('feed: resumes after a restart, and rebuilds the same database', async () => {
    const log = new MemoryLog();
    log.batch = 4;
    const all = lives(20);
    const { database, open } = await make();
    for (const one of all.slice(0, 31)) log.appendVerdict(one);
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    const first = feedsOf(database, log);
    await readAll(first, log);
    await first.stop();
    const again = kind === 'pglite' ? await open() : database;
    for (const one of all.slice(31)) log.appendVerdict(one);
    const second = feedsOf(again, log);
    await readAll(second, log);
    await second.stop();
    expect(await again.query('select count(*) as n from verdicts')).toEqual([{ n: 60 }]);
    const before = await contents(again);

    const { database: anew } = await make();
    const third = feedsOf(anew, log);
    await readAll(third, log);
    await third.stop();
    expect(await contents(anew)).toEqual(before);
  });

  it('feed: failures lose and duplicate nothing', async () => {
    const log = new MemoryLog();
    log.batch = 7;
    for (const one of lives(10)) log.appendVerdict(one);
    const { database } = await make();
    let calls = 0;
    const unsteady: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          calls += 1;
          const result = await work(tx);
          if (calls % 2 === 1) throw new Error('the power failed before the commit');
          return result;
        }),
    };
    const feeds = feedsOf(unsteady, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: 30 }]);
    expect(await currentStats(database, START)).toMatchObject({ found: 10, resolved: { recovered: 10 } });
  });

  it('feed: several servers store each verdict once', async () => {
    const log = new MemoryLog();
    log.batch = 3;
    for (const one of lives(15)) log.appendVerdict(one);
    const { database } = await make();
    const both = [feedsOf(database, log), feedsOf(database, log)];
    await Promise.all(both.map((feeds) => feeds.run()));
    await waitFor(() => log.delivered);
    for (const feeds of both) await feeds.stop();
    expect(
      await database.query(
        "select count(*) as n, sum(n) as verdicts from (select jsonb_array_length(fold::jsonb->'verdicts') as n from incident_docs) as d",
      ),
    ).toEqual([{ n: 15, verdicts: 45 }]);
  });

  it('feed: a recreated topic is read from its start, with a warning', async () => {
    const { database } = await make();
    const old = new MemoryLog();
    for (const one of lives(3)) old.appendVerdict(one);
    const before = feedsOf(database, old);
    await readAll(before, old);
    await before.stop();
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    const fresh = new MemoryLog();
    fresh.appendVerdict(verdict({ incidentId: 'i-new', time: START + 500 }));
    const after = feedsOf(database, fresh, logger);
    await readAll(after, fresh);
    fresh.appendVerdict(verdict({ incidentId: 'i-newer', time: START + 600 }));
    await waitFor(() => fresh.delivered);
    await after.stop();
    expect(lines.join('')).toMatch(/it was recreated/);
    expect(await currentStats(database, START)).toMatchObject({ found: 5 });
    expect(
      await database.query("select next_offset from topic_offsets where topic = 'loopwatch.verdicts'"),
    ).toEqual([{ next_offset: 2 }]);
  });

  it('feed: sessions follow their latest summary, and stay after they expire', async () => {
    const log = new MemoryLog();
    const write = (id: string, value: object | null) =>
      log.append(topics.sessions, value === null ? null : JSON.stringify(value), { key: id });
    write('a', summary('a', { events: 1 }));
    write('b', summary('b', { incidents: { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } } }));
    write('a', summary('a', { events: 9, status: 'ended' }));
    write('b', null);
    write('a', null);
    log.append(topics.sessions, '{"v":1}', { key: 'bad' });
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(
      await database.query('select id, state, events, incidents_open from sessions order by id'),
    ).toEqual([
      { id: 'a', state: 'ended', events: 9, incidents_open: 0 },
      { id: 'b', state: 'idle', events: 2, incidents_open: 1 },
    ]);
  });

  it('feed: stores verdicts with characters that PostgreSQL cannot hold', async () => {
    const log = new MemoryLog();
    log.appendVerdict(verdict({ reason: 'nul \u0000 half \ud83d', evidence: { 'k\u0000': '\u0000' } }));
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query("select doc::jsonb->>'reason' as reason from verdict_docs")).toEqual([
      { reason: 'nul \ufffd half \ufffd' },
    ]);
  });

  /** Verdicts on an id, and what PostgreSQL makes of them: it refuses an index entry of more than 2,704 bytes. */
  const longId = Array.from({ length: 1_500 }, (_, n) =>
    String.fromCodePoint(0x4e_00 + ((n * 7919) % 20_000)),
  ).join('');

  it('feed: one record that the database refuses stops no other', async () => {
    const log = new MemoryLog();
    const lines: string[] = [];
    const good = lives(120);
    good.forEach((one, n) => {
      if (n % 100 === 30) log.appendVerdict(verdict({ incidentId: `bad-${String(n)}`, sessionId: longId }));
      if (n === 50) log.append(topics.verdicts, '{"v":1,"id":', { key: 'k' });
      log.appendVerdict(one);
    });
    log.append(topics.sessions, JSON.stringify(summary(longId)), { key: 's' });
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    log.append(topics.triage, '{"v":9}', { key: 't' });
    log.append(topics.control, '{"scope":"server"}', { key: 'another' });
    const { database } = await make();
    const feeds = feedsOf(database, log, pino({}, { write: (line) => lines.push(line) }));
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: good.length }]);
    expect(await database.query('select id from sessions')).toEqual([{ id: 's-1' }]);
    const letters = (log.topics.get(topics['dead-letters']) ?? []).map(({ headers }) =>
      ['loopwatch-error-code', 'loopwatch-topic', 'loopwatch-offset'].map((name) =>
        Buffer.from(headers[name] ?? []).toString(),
      ),
    );
    expect(letters.toSorted()).toEqual(
      [
        ['not_stored', topics.verdicts, '30'],
        ['not_stored', topics.verdicts, '132'],
        ['not_stored', topics.verdicts, '233'],
        ['not_stored', topics.verdicts, '334'],
        ['invalid_record', topics.verdicts, '51'],
        ['not_stored', topics.sessions, '0'],
        ['invalid_record', topics.triage, '0'],
        ['invalid_record', topics.control, '0'],
      ].toSorted(),
    );
    expect(feeds.error).toBeNull();
    expect(lines.join('')).toMatch(/could not be stored and became dead letters/);
    const counted = (role: string, of: Feeds) => {
      const { partitions } = of.status.find((topic) => topic.role === role) ?? { partitions: [] };
      return partitions.map(({ setAside, latestSetAside }) => [setAside, latestSetAside?.offset]);
    };
    expect(counted('verdicts', feeds)).toEqual([[5, 334]]);
    const again = feedsOf(database, log);
    await readAll(again, log);
    expect(counted('verdicts', again)).toEqual([[5, 334]]);
    await again.stop();
  });

  it.each([
    ['lone halves', 'x\\ud800', 'x\\udc00', 'x\ufffd'],
    ['a half and NUL', 'agent \\uDBFF 7', 'agent \\u0000 7', 'agent \ufffd 7'],
  ])('feed: ids that the database makes one are one: %s', async (_, one, other, stored) => {
    const log = new MemoryLog();
    for (const id of [one, other]) {
      const session = JSON.stringify(summary('ID', { agent: 'ID', tenant: 'pair \ud83d\ude00' }));
      log.append(topics.sessions, session.replaceAll('ID', id), { key: 'k' });
      const written = JSON.stringify(verdict({ sessionId: 'ID', incidentId: 'ID', id: `ID/${id.length}` }));
      log.append(topics.verdicts, written.replaceAll('ID', id), { key: 'k' });
    }
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query('select id, tenant from sessions')).toEqual([
      { id: stored, tenant: 'pair \ud83d\ude00' },
    ]);
    expect(await database.query('select id, session_id from incidents')).toEqual([
      { id: stored, session_id: stored },
    ]);
    expect(log.topics.get(topics['dead-letters'])).toBeUndefined();
  });

  it('feed: waits while the database or the dead letters fail, and sets nothing aside then', async () => {
    const log = new MemoryLog();
    for (const one of lives(5)) log.appendVerdict(one);
    log.append(topics.verdicts, 'no JSON', { key: 'k' });
    const { database } = await make();
    let failures = 0;
    const missing: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          failures += 1;
          if (failures < 20) await tx.query('select * from a_table_that_does_not_exist');
          if (failures === 20) log.failure = new LogError('broker_unreachable', 'no broker');
          if (failures === 40) log.failure = undefined;
          return work(tx);
        }),
    };
    const feeds = feedsOf(missing, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(failures).toBeGreaterThanOrEqual(40);
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: 15 }]);
    const letters = log.topics.get(topics['dead-letters']) ?? [];
    expect(letters.map(({ text }) => text)).toEqual(['no JSON']);
  });

  it('feed: order and duplicates of records do not matter', async () => {
    const all = lives(4);
    const expected = await storedAs(all, await make());
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.array(fc.constantFrom(...all), { maxLength: 10 }),
        fc.integer({ min: 1, max: 9 }),
        async (order, again, batch) => {
          expect(await storedAs([...order, ...again], await make(), batch)).toEqual(expected);
        },
      ),
      { numRuns: kind === 'pglite' ? 4 : 12 },
    );
  });

  if (kind === 'pglite') return;
  it('feed: reconnects without missing records', async () => {
    const log = new MemoryLog();
    const { database } = await make();
    const notices: string[] = [];
    const unlisten = await database.listen('loopwatch_changes', () => notices.push(''));
    const feeds = feedsOf(database, log);
    await feeds.run();
    const [one, two] = [verdict(), verdict({ incidentId: 'i-2' })];
    log.appendVerdict(one);
    await waitFor(() => notices.length > 0);
    await disconnect();
    log.appendVerdict(two);
    await waitFor(() => log.delivered && notices.length > 1);
    expect(await database.query('select count(*) as n from incidents')).toEqual([{ n: 2 }]);
    await feeds.stop();
    await unlisten();
  });
});

async function storedAs(
  verdicts: readonly Verdict[],
  { database }: { database: Database },
  batch = 1_000,
): Promise<unknown> {
  const log = new MemoryLog();
  log.batch = batch;
  for (const one of verdicts) log.appendVerdict(one);
  const feeds = feedsOf(database, log);
  await readAll(feeds, log);
  await feeds.stop();
  return { ...((await contents(database)) as object), positions: [] };
}
