import type { Database } from '@loopwatch/storage';
import { expect, it } from 'vitest';
import { migrate } from '../../../storage/src/migrate.ts';
import { migrations } from '../../../storage/src/migrations.ts';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { eraseRows } from '../../src/retention/erase-rows.ts';
import { removeSessions } from '../../src/retention/remove-oldest.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { type BreakdownRequest, breakdown } from '../../src/stats/breakdown.ts';
import { isSummedTag } from '../../src/storage/sums.ts';
import { START, summary, verdict } from '../verdicts.ts';

const HOUR = 3_600_000;

/** Stores a session for each of the tags, 250 at a time. */
async function store(
  database: Database,
  all: readonly Record<string, string>[],
  prefix = 's',
): Promise<void> {
  const records = all.map((tags, i) => {
    const id = `${prefix}-${String(i)}`;
    const startedAt = START + (i % 5) * HOUR;
    const told = summary(id, { tags, startedAt, lastEventAt: startedAt + HOUR, usd: 1 });
    return { id, summary: told, at: told.lastEventAt };
  });
  for (let from = 0; from < records.length; from += 250)
    await writeSummaries(database, records.slice(from, from + 250));
}

const runs = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => ({ run: `${prefix}-${String(i)}`, team: `t-${String(i % 3)}` }));

onBothDatabases(({ make }) => {
  const requestOf = (groupBy: `tag:${string}`): BreakdownRequest => ({
    groupBy,
    from: START,
    to: START + 9 * HOUR,
    compare: false,
    filter: {},
    limit: 3,
    sort: { by: 'rate', descending: true },
  });
  const groupsBy = async (database: Database, groupBy: `tag:${string}`) => {
    const { groups, other, total } = await breakdown(database, requestOf(groupBy), START);
    return {
      groups: groups.map(({ value, activity }) => [value, activity.sessions]),
      other: other?.values,
      sessions: total.activity.sessions,
    };
  };

  it('sums by tag: a tag with too many values has none, and is read from the rows', async () => {
    const { database } = await make();
    await store(database, runs(900, 'a'));
    expect(await isSummedTag(database, 'run')).toBe(true);
    // Values of sessions that are gone make room.
    while ((await removeSessions(database, { limit: 500 })) > 0);
    await store(database, runs(900, 'b'));
    expect(await isSummedTag(database, 'run')).toBe(true);
    const before = await groupsBy(database, 'tag:run');
    expect(before).toMatchObject({ other: 897, sessions: 900 });
    await store(database, runs(120, 'c'), 'c');
    expect(await isSummedTag(database, 'run')).toBe(false);
    expect(await database.query(`select 1 from dimension_sums where dimension = 'tag:run'`)).toEqual([]);
    expect(await groupsBy(database, 'tag:run')).toMatchObject({ other: 1017, sessions: 1020 });
    expect(await groupsBy(database, 'tag:team')).toEqual({
      groups: ['t-0', 't-1', 't-2'].map((team) => [team, 340]),
      other: undefined,
      sessions: 1020,
    });
    // Changes of a session, too, change no sum.
    await store(database, [{ run: 'again' }], 'c');
    expect(await database.query(`select 1 from dimension_sums where dimension = 'tag:run'`)).toEqual([]);
    expect(await groupsBy(database, 'tag:team')).toMatchObject({
      groups: [
        ['t-1', 340],
        ['t-2', 340],
        ['t-0', 339],
      ],
      other: 1,
    });
  });

  it('sums by tag: the first tags have them, later ones are read from the rows', async () => {
    const { database } = await make();
    const named = Array.from({ length: 40 }, (_, i) => ({ [`k-${String(10 + i)}`]: 'v' }));
    await store(database, named);
    await store(database, named);
    const kept = await Promise.all(
      Array.from({ length: 40 }, (_, i) => isSummedTag(database, `k-${String(10 + i)}`)),
    );
    expect(kept).toEqual(named.map((_, i) => i < 32));
    for (const key of ['tag:k-10', 'tag:k-49', 'tag:nothing'] as const)
      expect((await groupsBy(database, key)).groups).toEqual(
        key === 'tag:nothing'
          ? [[null, 40]]
          : [
              [null, 39],
              ['v', 1],
            ],
      );
  });

  it('sums by tag: without them, no more sessions are read than a database can do at once', async () => {
    const { database } = await make();
    await store(database, runs(1_020, 'a'));
    const read = (request: Partial<BreakdownRequest>, maxRead: number) =>
      breakdown(database, { ...requestOf('tag:run'), ...request }, START, maxRead);
    expect((await read({}, 1_020)).total.activity.sessions).toBe(1_020);
    await expect(read({}, 1_019)).rejects.toMatchObject({
      status: 400,
      message:
        'groupBy: no sums are kept by this tag, and more than 1,019 sessions would have to be read; choose a shorter period or add a filter',
    });
    expect((await read({ to: START + HOUR }, 1_019)).total.activity.sessions).toBe(204);
    expect((await read({ filter: { tag: ['team:t-1'] } }, 1_019)).total.activity.sessions).toBe(340);
    expect((await read({ groupBy: 'tag:team' }, 1)).total.activity.sessions).toBe(1_020);
  });

  it('sums by tag: amounts of sessions that are read are added up, whatever their size', async () => {
    const { database } = await make();
    const amounts = [null, 2, 3, 4e15];
    const records = amounts.map((input, i) => {
      const id = `s-${String(i)}`;
      const tokens = input === null ? null : { input, output: 0 };
      const times = { startedAt: START, lastEventAt: START + HOUR };
      const told = summary(id, { ...times, tokens, agent: 'a', tags: { team: 't-1' } });
      return { id, summary: told, at: START };
    });
    await writeSummaries(database, records);
    const request = { ...requestOf('tag:team'), filter: { agent: ['a'] } };
    const { total } = await breakdown(database, request, START);
    expect(total.activity).toMatchObject({ sessions: 4, tokens: 4e15 + 5 });
  });

  it('sums by tag: an erased session leaves none of its names', async () => {
    const { database } = await make();
    await store(database, [{ user: 'alice' }, { user: 'bob' }]);
    await writeVerdicts(database, [
      { verdict: verdict({ sessionId: 's-0', agent: 'alice', tags: { user: 'alice' } }), arrivedAt: START },
    ]);
    await database.transaction((tx) => eraseRows(tx, ['s-0']));
    for (const table of ['tag_values', 'dimension_sums', 'session_sums', 'agent_loops', 'repeated_loops']) {
      const rows = await database.query(`select * from ${table} as t where t::text like '%alice%'`);
      expect(rows, table).toEqual([]);
    }
    expect(await database.query('select value from tag_values')).toEqual([{ value: 'bob' }]);
  });

  it('sums by tag: the migration sums what is stored, as if it had been stored later', async () => {
    const { database } = await make({ migrated: false });
    const write = async () => {
      await store(database, [...runs(1_100, 'a'), {}, { team: 't-1' }]);
      const loops = ['s-1', 's-1', 's-2'].map((sessionId, i) => ({
        verdict: verdict({ incidentId: `i-${String(i)}`, sessionId, tags: { team: `t-${String(i)}` } }),
        arrivedAt: START,
      }));
      await writeVerdicts(database, loops);
    };
    const stored = async () => ({
      sums: await database.query(
        'select * from dimension_sums where found <> 0 order by dimension, edge, at, value',
      ),
      tags: await database.query('select * from summed_tags order by key'),
      values: await database.query('select * from tag_values order by key, value'),
      repeated: await database.query('select * from repeated_loops order by id'),
    });
    await migrate(
      database,
      migrations.filter(({ number }) => number !== 18),
    );
    await write();
    await migrate(database);
    const migrated = await stored();
    await database.query('drop schema public cascade');
    await database.query('create schema public');
    await migrate(database);
    await write();
    expect(migrated).toEqual(await stored());
    expect(migrated.repeated).toMatchObject([{ tags: { team: 't-0' } }, { tags: { team: 't-1' } }]);
  });
});
