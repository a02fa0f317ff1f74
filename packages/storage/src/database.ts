/**
 * The port to the database. Both adapters speak PostgreSQL, so the SQL is the same; results come as plain values: int8
 * and float8 as numbers, jsonb parsed. Times are epoch milliseconds in float8 columns.
 */

export interface Queryable {
  /** @throws DatabaseUnavailable when the database cannot be reached */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres';
  /** Commits when the work resolves, rolls back when it rejects. Read committed. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Calls back on each notification of the channel (`select pg_notify(…)`), with its payload; with an empty one when
   * some may have been missed. @returns stops it
   */
  listen(channel: string, onNotice: (payload: string) => void): Promise<() => Promise<void>>;
  /** How busy it is at the moment. */
  load(): DatabaseLoad;
  close(): Promise<void>;
}

export interface DatabaseLoad {
  readonly connections: number;
  /** Of them, those that have nothing to do. */
  readonly idle: number;
  /** Queries and transactions that wait for one. */
  readonly waiting: number;
}

/** The database cannot be reached at the moment; the message says which and why, without its password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}
