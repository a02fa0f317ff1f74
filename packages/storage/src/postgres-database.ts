import pg from 'pg';
import { type Database, DatabaseUnavailable, type Queryable } from './database.ts';
import { storableParameters } from './json-text.ts';
import { listenForNotices } from './postgres-notices.ts';

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PostgresOptions {
  readonly url: string;
  /** Called when an idle connection breaks. */
  readonly onTrouble: (message: string, error: unknown) => void;
}

/** The server ends a statement after this time. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** The longest wait for a lock, as of a table that a backup or a person has locked. */
const LOCK_TIMEOUT_MS = 10_000;
/** If it cannot even say so, the connection is given up this much later. */
const NETWORK_MS = 5_000;
/** The longest time that a timer can wait: 24 days. */
const UNLIMITED_MS = 2 ** 31 - 1;

/**
 * Compiling a statement can take seconds, and PostgreSQL does so by an estimate that is far too high for searches. With its
 * default of 4 MB, breakdowns group in temporary files; the embedded database has as much. The pool waits for the promise.
 */
const forBreakdowns = {
  onConnect: (client: pg.ClientBase): Promise<unknown> =>
    client.query(
      `set jit = off; select set_config('work_mem', '32MB', false) where pg_size_bytes(current_setting('work_mem')) < 33554432`,
    ),
};

/** A PostgreSQL server, version 13 or newer. Connects on the first query. */
export function openPostgres({ url, onTrouble }: PostgresOptions): Database {
  const where = withoutPassword(url);
  const options = {
    connectionString: url,
    types,
    application_name: 'loopwatch',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...options,
    ...forBreakdowns,
    max: 8,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + NETWORK_MS,
    // Locks of a process that was suspended are released.
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  });
  // Without a listener a broken idle connection would end the process.
  pool.on('error', (error) => {
    onTrouble('an idle database connection was lost', error);
  });
  const queryable = (client: pg.Pool | pg.PoolClient, limit: { query_timeout?: number } = {}): Queryable => ({
    query: async <Row extends object>(text: string, parameters: readonly unknown[] = []) => {
      try {
        const values = storableParameters(parameters);
        return (await client.query<Row & pg.QueryResultRow>({ text, values, ...limit })).rows;
      } catch (error) {
        throw describeError(error, where);
      }
    },
  });
  const own = queryable(pool);
  return {
    kind: 'postgres',
    query: own.query.bind(own),
    async transaction(work, { isUnlimited = false } = {}) {
      const client = await pool.connect().catch((error: unknown) => {
        throw describeError(error, where);
      });
      let broken: Error | undefined;
      const note = (error: Error): void => {
        broken = error;
      };
      client.on('error', note);
      const tx = queryable(client, isUnlimited ? { query_timeout: UNLIMITED_MS } : {});
      try {
        await tx.query('begin');
        if (isUnlimited)
          await tx.query(
            `select set_config(name, '0', true) from unnest(array['statement_timeout', 'lock_timeout']) name`,
          );
        const result = await work(tx);
        await tx.query('commit');
        return result;
      } catch (error) {
        if (broken === undefined) {
          await tx.query('rollback').catch((failure: unknown) => {
            broken = failure instanceof Error ? failure : new Error(String(failure));
          });
        }
        throw error;
      } finally {
        client.off('error', note);
        client.release(broken);
      }
    },
    listen: (channel, onNotice) => listenForNotices({ ...options, channel, onNotice, onTrouble }),
    load: () => ({ connections: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/**
 * SQLSTATE classes for problems of the server, not the statement: connection, login, database, resources, operator intervention;
 * a server that is read-only, such as a standby; and a lock that others hold for too long.
 */
const unavailable = /^(08|28|3D|53|57|25006|55P03)/;

function describeError(error: unknown, where: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  const ofServer = typeof code === 'string' && unavailable.test(code);
  const ofSocket =
    (typeof code === 'string' && /^E[A-Z]+$/.test(code)) ||
    /timeout|terminated|ended|closed/i.test(error.message);
  if (!ofServer && !ofSocket && !(error instanceof AggregateError)) return error;
  const why = error.message === '' ? String(code) : error.message;
  return new DatabaseUnavailable(`The database at ${where} cannot be used: ${why}`, { cause: error });
}

/** The host and database of a URL, safe to show. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
