/**
 * The port to the database. Both adapters use PostgreSQL, so the SQL is the same. Results are plain values: int8 and float8
 * as numbers, jsonb parsed. Times are epoch milliseconds in float8 columns.
 */

export interface Queryable {
  /** @throws DatabaseUnavailable when the database cannot be reached */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface TransactionOptions {
  /** Whether its statements may take any time, as those of a migration do. Default: no. */
  readonly isUnlimited?: boolean;
}

export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres';
  /** Commits when the work resolves, rolls back when it rejects. Read committed. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls back on each notification of the channel (`select pg_notify(…)`) with its payload, or with an empty payload when
   * notifications may have been missed.
   *
   * @returns a function that stops listening
   */
  listen(channel: string, onNotice: (payload: string) => void): Promise<() => Promise<void>>;
  /** The current load. */
  load(): DatabaseLoad;
  close(): Promise<void>;
}

export interface DatabaseLoad {
  readonly connections: number;
  /** Connections that are not in use. */
  readonly idle: number;
  /** Queries and transactions waiting for a connection. */
  readonly waiting: number;
}

/** The database is currently unavailable; the message says which one and why, without its password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}
