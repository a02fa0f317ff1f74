import type { ErasureQuery } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { Conditions } from '../storage/conditions.ts';

// Ids are read as JSON here: of text, the embedded database drops a byte order mark that an earlier version has stored.

/** The sessions of a tenant or with a tag; those whose sessions retention deleted are found by their incidents. */
export async function sessionsMatching(
  database: Queryable,
  { tenant, tag }: ErasureQuery,
): Promise<readonly string[]> {
  const conditions = new Conditions();
  if (tenant !== undefined) conditions.anyOf('tenant', [tenant]);
  if (tag !== undefined) conditions.anyTag('tags', [tag]);
  const rows = await database.query<{ id: string }>(
    `select to_jsonb(id) as id from sessions ${conditions.where} union select to_jsonb(session_id) from incidents ${conditions.where}`,
    conditions.parameters,
  );
  return rows.map(({ id }) => id);
}

/** These sessions, and those that they started as sub-agents: these hold parts of the same conversation. */
export async function withSubAgents(database: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `with recursive family as (
       select jsonb_array_elements_text($1::jsonb) as id
       union select s.id from sessions s join family on s.parent = family.id
     ) select to_jsonb(id) as id from family`,
    [jsonText(ids)],
  );
  return rows.map(({ id }) => id);
}

/** Those of which the database holds something. */
export async function storedAmong(database: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `with asked as (select jsonb_array_elements_text($1::jsonb) as id)
     select id from asked where exists (select from sessions where sessions.id = asked.id)
       or exists (select from incidents where session_id = asked.id)
       or exists (select from verdicts where session_id = asked.id)
       or exists (select from messages where session_id = asked.id)`,
    [jsonText(ids)],
  );
  return rows.map(({ id }) => id);
}
