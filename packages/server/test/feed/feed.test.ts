import { type Verdict } from '@loopwatch/contract';
import type { Database } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { MemoryLog } from '../memory-log.ts';
import { silent, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';
import { feedsOf, lives, readAll } from './feeds.ts';

/** Everything a database holds that does not say when it was written. */
async function contents(database: Database): Promise<unknown> {
  return {
    verdicts: await database.query('select * from verdicts join verdict_docs using (id) order by id'),
    incidents: (await database.query('select * from incidents order by id')).map((row) => ({
      ...row,
      change: 0,
    })),
    docs: await database.query('select * from incident_docs order by id'),
    sessions: (await database.query('select * from sessions join session_docs using (id) order by id')).map(
      (row) => ({
        ...row,
        change: 0,
      }),
    ),
    positions: await database.query('select * from topic_offsets order by topic, partition'),
    stats: await currentStats(database, START),
  };
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

  it('feed: reads topics that were deleted and created again while it was stopped from their beginning', async () => {
    const { database } = await make();
    const stored = async () =>
      (await database.query<{ n: number }>('select count(*)::int as n from verdicts'))[0]?.n;
    const read = async (topicId: string | undefined, verdicts: readonly Verdict[]) => {
      const log = new MemoryLog();
      log.topicId = topicId;
      for (const one of verdicts) log.appendVerdict(one);
      const feeds = feedsOf(database, log);
      await readAll(feeds, log);
      await feeds.stop();
      return stored();
    };
    const all = lives(20);
    // Of an earlier version, which stored no id.
    expect(await read(undefined, all.slice(0, 6))).toBe(6);
    expect(await read('first', all.slice(0, 9))).toBe(9);
    expect(await read('first', all.slice(0, 12))).toBe(12);
    expect(await read('second', all.slice(12, 54))).toBe(54);
    expect(await read('second', all.slice(12, 60))).toBe(60);
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
