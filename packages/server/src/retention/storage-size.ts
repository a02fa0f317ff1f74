import type { Queryable } from '@loopwatch/storage';
import { countOfIncidents, countOfSessions } from '../storage/sums.ts';

export interface StorageSize {
  readonly incidents: number;
  readonly sessions: number;
  /** Messages of conversations stored by gateways. */
  readonly messages: number;
  /** Estimated size of the rows; files do not shrink when rows are deleted, but reuse the space. */
  readonly bytes: number;
}

const SAMPLE = 500;
/** Indexes and row overhead of PostgreSQL, measured with rows of 1 to 2 kB. */
const OVERHEAD = 1.5;

/** Estimates the size from the latest rows: cheap however much is stored. */
export async function storageSize(database: Queryable): Promise<StorageSize> {
  const average = (table: string, order: string): string =>
    `(select coalesce(avg(pg_column_size(s.*)), 0) from (select * from ${table} order by ${order} limit ${String(SAMPLE)}) as s)`;
  const [row] = await database.query<StorageSize>(
    `select i.n::float8 as incidents, s.n::float8 as sessions, m.n::float8 as messages,
       (${String(OVERHEAD)} * (i.n * (${average('incidents', 'detected_at desc')} + ${average('incident_docs', 'id')})
         + v.n * (${average('verdicts', 'happened_at desc')} + ${average('verdict_docs', 'id')})
         + s.n * (${average('sessions', 'last_event_at desc')} + ${average('session_docs', 'id')}) + m.n * ${average('messages', 'number desc')}))::float8 as bytes
     from (select ${countOfIncidents} as n) as i, (select count(*) as n from verdicts) as v,
       (select ${countOfSessions} as n) as s, (select count(*) as n from messages) as m`,
  );
  return row ?? { incidents: 0, sessions: 0, messages: 0, bytes: 0 };
}
