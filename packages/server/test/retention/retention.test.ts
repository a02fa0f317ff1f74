import type { Database } from '@loopwatch/storage';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import type { RetentionLimits } from '../../src/index.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import { Retention } from '../../src/retention/retention.ts';
import { storageSize } from '../../src/retention/storage-size.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { silent } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const DAY = 86_400_000;

/** An incident, a session and a message for each day before START, the oldest first. */
async function fill(database: Database, days: number): Promise<void> {
  await database.transaction(async (tx) => {
    const times = Array.from({ length: days }, (_, n) => START - (days - n) * DAY);
    await writeVerdicts(
      tx,
      times.map((time, n) => ({ verdict: verdict({ incidentId: `i-${String(n)}`, time }), arrivedAt: time })),
    );
    await writeSummaries(
      tx,
      times.map((at, n) => ({ id: `s-${String(n)}`, summary: summary(`s-${String(n)}`), at })),
    );
    await tx.query(
      `insert into messages (session_id, at, role, doc)
       select 's-' || n, t::float8, 'user', jsonb_build_object('text', n) from jsonb_array_elements_text($1::jsonb) with ordinality as v(t, n)`,
      [JSON.stringify(times)],
    );
  });
}

const retention = (database: Database, limits: RetentionLimits) =>
  new Retention({
    database,
    limits,
    logger: silent,
    now: () => START,
    metrics: createServerMetrics(new Registry()),
  });

onBothDatabases(({ make }) => {
  it('retention: deletes old incidents with their rows, and keeps the sums', async () => {
    const { database } = await make();
    await fill(database, 1_100);
    const before = await currentStats(database, START);
    // The first second of the day counts: 10 are younger.
    expect(await retention(database, { days: 10.5, megabytes: null }).run()).toBe(3 * 1_090);
    const after = await currentStats(database, START);
    expect(after).toMatchObject({ kept: 10, dropped: 1_090, found: 1_100 });
    expect({ ...after, open: 0, quiet: 0, openByDetector: {}, kept: 0, dropped: 0, latency: null }).toEqual({
      ...before,
      open: 0,
      quiet: 0,
      openByDetector: {},
      kept: 0,
      dropped: 0,
      latency: null,
    });
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: 10 }]);
    expect(await database.query('select count(*) as n from incident_docs')).toEqual([{ n: 10 }]);
    expect(await database.query('select count(*) as n from sessions')).toEqual([{ n: 10 }]);
    expect(await database.query('select count(*) as n from session_docs')).toEqual([{ n: 10 }]);
    expect(await database.query('select count(*) as n from messages')).toEqual([{ n: 10 }]);
    // By minute and by hour.
    for (const table of ['incident_sums', 'incident_latencies', 'agent_loops'])
      expect(await database.query(`select count(*) as n from ${table}`), table).toEqual([{ n: 20 }]);
    const empty = await database.query(
      `select distinct dimension, edge from dimension_sums where at < (select min(at) from dimension_sums where found > 0)`,
    );
    expect(empty).toEqual([]);
  });

  it('retention: deletes no more than the size limit requires, oldest first', async () => {
    const { database } = await make();
    await fill(database, 400);
    const { bytes } = await storageSize(database);
    const limit = { days: null, megabytes: bytes / 2 / 1024 / 1024 };
    expect(await retention(database, limit).run()).toBeGreaterThan(380);
    const size = await storageSize(database);
    expect(size.bytes).toBeLessThanOrEqual(bytes / 2);
    expect(size.incidents).toBeGreaterThan(180);
    expect(size.messages).toBeGreaterThan(180);
    expect(size.messages).toBeLessThan(400);
    expect(await database.query('select id from incidents order by detected_at desc limit 1')).toEqual([
      { id: 'i-399' },
    ]);
    expect(await retention(database, limit).run()).toBe(0);
  });

  it('retention: deletes nothing without limits', async () => {
    const { database } = await make();
    await fill(database, 3);
    expect(await retention(database, { days: null, megabytes: null }).run()).toBe(0);
  });
});
