import type { Database } from '@loopwatch/storage';
import { writeVerdicts } from '../../../packages/server/src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../../packages/server/src/sessions/write-summaries.ts';
import { lockChanges } from '../../../packages/server/src/storage/change-lock.ts';
import { fleetSummary, fleetVerdict, VERDICTS_PER_INCIDENT } from '../dashboard/traffic.ts';
import { progress } from '../measure.ts';

/** Rows that the server stores itself, and that SQL then copies under new ids and times. */
const TEMPLATES = 600;
const BATCH = 20_000;
/** Of a hundred sessions. */
const LOOPING = 24;

/** Age in ms by the number of the session, `n`: 40% within a day, 70% within a week, the rest within thirty days. */
const age = (sessions: number): string => `(case
  when n < 0.4 * ${String(sessions)} then n / (0.4 * ${String(sessions)}) * 86400000
  when n < 0.7 * ${String(sessions)} then (1 + (n / ${String(sessions)}.0 - 0.4) / 0.3 * 6) * 86400000
  else (7 + (n / ${String(sessions)}.0 - 0.7) / 0.3 * 23) * 86400000 end)::float8`;

/** Stores sessions, a quarter of which loop, each twice, by copying rows in SQL. */
export async function fillDatabase(database: Database, sessions: number, now: number): Promise<void> {
  await storeTemplates(database, now);
  const columns = async (table: string): Promise<string[]> => {
    const rows = await database.query<{ name: string }>(
      'select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position',
      [table],
    );
    return rows.map(({ name }) => name);
  };
  /** @param replaced SQL of columns that differ from the template's */
  const copy = async (table: string, replaced: Record<string, string>): Promise<string> => {
    const names = await columns(table);
    const values = names.map((name) => replaced[name] ?? `t."${name}"`);
    return `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) select ${values.join(', ')}`;
  };
  const ids = `replace(replace(%, t.session_id, 'm-' || n), t.incident_id, 'm-i-' || n)`;
  const text = (column: string): string => ids.replace('%', column);
  const at = `($3::float8 - ${age(sessions)})`;
  const duration = '(10000 + (n * 7919 % 1000) * 1800)::float8';
  const tags = `jsonb_build_object('team', 't' || n % 7, 'branch', 'b' || n % 5000, 'run', 'm-' || n)`;
  const version = `'1.' || n / 1000 % 12`;
  const numbers = 'generate_series($1::bigint, $2::bigint) as n';
  const change = `nextval('changes')`;
  await database.query(
    `create temporary table template_sessions as select s.*, d.doc, d.parts, row_number() over (order by id) - 1 as k
       from sessions s join session_docs d using (id)`,
  );
  await database.query(
    `create temporary table template_incidents as select i.*, i.id as incident_id, d.fold, d.evidence, d.current,
       row_number() over (order by i.id) - 1 as k from incidents i join incident_docs d on d.id = i.id`,
  );
  await database.query(
    `create temporary table template_verdicts as select v.*, d.doc, t.k, row_number() over (partition by t.k order by v.happened_at, v.id) as step
     from verdicts v join verdict_docs d on d.id = v.id join template_incidents t on t.id = v.incident_id`,
  );
  const [counts] = await database.query<{ sessions: number; incidents: number }>(
    `select (select count(*) from template_sessions)::float8 as sessions, (select count(*) from template_incidents)::float8 as incidents`,
  );
  if (counts === undefined) throw new Error('There are templates');
  const ofSession = `from ${numbers} join template_sessions t on t.k = n % ${String(counts.sessions)}`;
  const isLooping = `n % 100 < ${String(LOOPING)}`;
  const ofIncident = `from ${numbers} join template_incidents t on t.k = n % ${String(counts.incidents)} where ${isLooping}`;
  const ofVerdict = `from ${numbers} join template_verdicts t on t.k = n % ${String(counts.incidents)} where ${isLooping} and t.step <= 2`;
  const ended = `n % 10 < 8`;
  const statements = [
    `${await copy('sessions', {
      id: `'m-' || n`,
      change,
      state: `case when ${ended} then 'ended' else 'live' end`,
      started_at: at,
      last_event_at: `${at} + ${duration}`,
      active_at: `${at} + ${duration}`,
      updated_at: `${at} + ${duration}`,
      events: '(n * 31 % 997)::float8',
      tokens: '(n * 17 % 99991)::float8',
      tool_calls: '(n * 13 % 211)::float8',
      incidents: `case when ${isLooping} then 1 else 0 end`,
      incidents_open: '0',
      title: `'Change number ' || n || ' of the service'`,
      agent_version: version,
      tags,
    })} ${ofSession}`,
    `insert into session_docs (id, doc, parts) select 'm-' || n, replace(t.doc::text, t.id, 'm-' || n)::jsonb, t.parts ${ofSession}`,
    `insert into session_texts (session_id, part, text) select 'm-' || n, '', 'change number ' || n || E' of the service\\n' || coalesce(t.agent, '') ${ofSession}`,
    `${await copy('incidents', {
      id: `'m-i-' || n`,
      change,
      session_id: `'m-' || n`,
      detected_at: at,
      last_at: `${at} + 5000`,
      active_at: `${at} + 5000`,
      agent_version: version,
      tags,
      search: text('t.search'),
    })} ${ofIncident}`,
    `insert into incident_docs (id, fold, evidence, current) select 'm-i-' || n, ${text('t.fold')}, ${text('t.evidence')}, t.current ${ofIncident}`,
    `${await copy('verdicts', {
      id: `'m-v-' || n || '-' || t.step`,
      incident_id: `'m-i-' || n`,
      session_id: `'m-' || n`,
      happened_at: `${at} + t.step * 1000`,
      detected_at: `${at} + t.step * 1000`,
    })} ${ofVerdict}`,
    `insert into verdict_docs (id, doc) select 'm-v-' || n || '-' || t.step, ${text('t.doc')} ${ofVerdict}`,
  ];
  for (let from = 0; from < sessions; from += BATCH) {
    const to = Math.min(sessions, from + BATCH) - 1;
    await database.transaction(async (tx) => {
      for (const statement of statements)
        await tx.query(statement, statement.includes('$3') ? [from, to, now] : [from, to]);
    });
    if (from % (BATCH * 5) === 0) progress(`  ${String(to + 1)} sessions stored`);
  }
  await database.query('vacuum analyze');
}

async function storeTemplates(database: Database, now: number): Promise<void> {
  const verdicts = Array.from({ length: TEMPLATES * VERDICTS_PER_INCIDENT }, (_, n) =>
    fleetVerdict(n, now - 40 * 86_400_000 + n, 'template'),
  );
  await database.transaction(async (tx) => {
    await lockChanges(tx);
    await writeVerdicts(
      tx,
      verdicts.map((verdict) => ({ verdict, arrivedAt: verdict.time })),
    );
    await writeSummaries(
      tx,
      verdicts
        .filter(({ phase }) => phase === 'opened')
        .map((verdict) => ({ id: verdict.sessionId, summary: fleetSummary(verdict), at: verdict.time })),
    );
  });
}
