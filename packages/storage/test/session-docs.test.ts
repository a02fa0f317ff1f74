import { expect, it } from 'vitest';
import { migrate } from '../src/migrate.ts';
import { migrations } from '../src/migrations.ts';
import { onBothDatabases } from './databases.ts';

onBothDatabases(({ make }) => {
  it('session docs: the migration keeps what is stored, to delete it with its session', async () => {
    const { database } = await make({ migrated: false });
    await migrate(
      database,
      migrations.filter(({ number }) => number < 19),
    );
    await database.query(
      `insert into sessions (id, change, state, started_at, last_event_at, active_at, events, turns, tool_calls, characters, tokens,
         incidents_open, incidents, updated_at, title, doc, parts)
       select 's-' || n, n, 'ended', n, 9 - n, n, n, 1, 1, 1, 1, 0, 0, n, 'Title ' || n, jsonb_build_object('n', n),
         case when n = 2 then '[{"part":1}]'::jsonb end
       from generate_series(1, 3) as n`,
    );
    expect((await migrate(database)).at(0)).toBe(19);
    const stored = () =>
      database.query(
        'select id, title, events, doc, parts from sessions join session_docs using (id) order by id',
      );
    const row = (n: number, parts: unknown = null) => ({
      id: `s-${String(n)}`,
      title: `Title ${String(n)}`,
      events: n,
      doc: { n },
      parts,
    });
    expect(await stored()).toEqual([row(1), row(2, [{ part: 1 }]), row(3)]);
    const columns = await database.query(
      "select column_name from information_schema.columns where table_name = 'sessions' and column_name in ('doc', 'parts')",
    );
    expect(columns).toEqual([]);
    await database.query("delete from sessions where id = 's-1'");
    expect(await database.query('select id from session_docs order by id')).toEqual([
      { id: 's-2' },
      { id: 's-3' },
    ]);
  });

  it('session docs: after the migration of an empty database it is unknown how many sessions there are', async () => {
    const { database } = await make({ migrated: false });
    await migrate(database);
    // Otherwise a reference to a session is checked by reading all of them. Before version 14, unknown is 0.
    expect(
      await database.query(
        `select reltuples = case when current_setting('server_version_num')::int < 140000 then 0 else -1 end as unknown
         from pg_class where oid = 'sessions'::regclass`,
      ),
    ).toEqual([{ unknown: true }]);
  });
});
