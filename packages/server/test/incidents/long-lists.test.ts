import type { IncidentFilter, IncidentSort } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listGroups } from '../../src/incidents/list-groups.ts';
import { listIncidents } from '../../src/incidents/list-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { START, summary, verdict } from '../verdicts.ts';

/** More than a list counts. */
const INCIDENTS = 10_300;
/** More than a search collects. */
const TEXTS = 20_100;
const LIMIT = 200;

/** Incidents `i-0`, `i-1` and so on, of four agents and three groups; each hundredth is of the session `s-1`. */
async function fill(database: Database): Promise<void> {
  await writeVerdicts(database, [{ verdict: verdict({ incidentId: 'i-0' }), arrivedAt: START }]);
  await writeSummaries(database, [{ id: 's-1', summary: summary('s-1'), at: START }]);
  await database.query(
    `insert into incidents select (jsonb_populate_record(i, jsonb_build_object('id', 'i-' || n, 'count', n * 7 % 50, 'agent', 'a-' || n % 4,
       'group_key', 'g-' || n % 3, 'session_id', case n % 100 when 0 then 's-1' else 's-0' end, 'search', 'number ' || n))).*
     from incidents i cross join generate_series(1, $1::int - 1) as n`,
    [INCIDENTS],
  );
  await database.query(
    `insert into incident_docs select 'i-' || n, replace(fold, '"i-0"', '"i-' || n || '"'), evidence, current from incident_docs d cross join generate_series(1, $1::int - 1) as n`,
    [INCIDENTS],
  );
  await database.query(
    `insert into session_texts select 's-1', 'part ' || n, case when n = 7 then 'both words' else 'common' end
     from generate_series(1, $1::int) as n`,
    [TEXTS],
  );
  await database.query('analyze');
}

const paging = { now: START, limit: LIMIT } as const;

/** The ids of the first pages, and what the last one says about the number of all. */
async function pagesOf(database: Database, filter: IncidentFilter, by: IncidentSort, pages: number) {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const sort = { by, descending: true };
    const { items, nextCursor, ...count } = await listIncidents(database, filter, {
      ...paging,
      cursor,
      sort,
    });
    ids.push(...items.map(({ id }) => id));
    if (nextCursor === null || page === pages) return { ids, ...count };
    cursor = nextCursor;
  }
}

onBothDatabases(({ make }) => {
  it('long lists: each page continues the previous one, and the total is that of the rows or the largest that is counted', async () => {
    const { database } = await make();
    await fill(database);
    const rows = await database.query<{ id: string; agent: string }>(
      'select id, agent from incidents order by count desc, id desc',
    );
    const agents = [...new Set(rows.map(({ agent }) => agent))];
    const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id);
    expect(await pagesOf(database, { agent: agents }, 'count', 3)).toEqual({
      ids: idsOf(rows.slice(0, 3 * LIMIT)),
      total: 10_000,
      totalIsLowerBound: true,
    });
    expect(await pagesOf(database, {}, 'count', 2)).toEqual({
      ids: idsOf(rows.slice(0, 2 * LIMIT)),
      total: INCIDENTS,
    });
    const few = rows.filter(({ agent }) => agent === 'a-1');
    expect(await pagesOf(database, { agent: ['a-1'] }, 'count', 99)).toEqual({
      ids: idsOf(few),
      total: few.length,
    });
    expect(await pagesOf(database, { agent: ['nobody'] }, 'count', 1)).toEqual({ ids: [], total: 0 });
    // Words of an incident, of one prompt of its session, and of more prompts than a search collects.
    expect((await pagesOf(database, { q: 'Number 9999' }, 'count', 1)).ids).toEqual(['i-9999']);
    const ofSession = { ids: idsOf(rows.filter(({ id }) => Number(id.slice(2)) % 100 === 0)), total: 103 };
    expect(await pagesOf(database, { q: 'both words' }, 'count', 1)).toEqual(ofSession);
    expect(await pagesOf(database, { q: 'common' }, 'count', 1)).toEqual(ofSession);
    const sort = { by: 'occurrences', descending: true } as const;
    const first = await listGroups(database, {}, { ...paging, limit: 2, cursor: undefined, sort });
    const rest = await listGroups(database, {}, { ...paging, limit: 2, cursor: first.nextCursor!, sort });
    const groups = [...first.items, ...rest.items].map(({ occurrences, sessions, open, quiet, triage }) =>
      // Sessions are counted once each.
      [occurrences, sessions, open + quiet, triage.new],
    );
    const large = [3433, 2, 3433, 3433];
    expect(groups).toEqual([large, large, large, [1, 1, 1, 1]]);
    expect([first.total, rest.total, rest.nextCursor]).toEqual([4, 4, null]);
  });
});
