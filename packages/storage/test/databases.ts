import { rm } from 'node:fs/promises';
import { startPostgres, type TestPostgres } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../src/index.ts';
import { migrate } from '../src/migrate.ts';
import { openPglite } from '../src/pglite-database.ts';
import { openPostgres } from '../src/postgres-database.ts';
import { emptying } from './emptying.ts';
import { pgliteFolder } from './pglite-folder.ts';

/** Creates empty databases, migrated by default, and closes them after the tests. */
export interface Databases {
  readonly kind: Database['kind'];
  /** @returns the database, and a function that opens the same one again; PGlite closes the first one before */
  readonly make: (options?: {
    readonly migrated?: boolean;
  }) => Promise<{ database: Database; open: () => Promise<Database> }>;
  /** Breaks the connections like a restart of the database server; does nothing for the embedded one. */
  readonly disconnect: () => Promise<void>;
}

/** Runs the same tests on the embedded database and on a real PostgreSQL. */
export function onBothDatabases(tests: (databases: Databases) => void): void {
  describe('pglite', () => {
    const closers = closeAfterwards();
    // Creating a database takes seconds.
    let dir = '';
    let current: Database | undefined;
    beforeAll(async () => {
      dir = await pgliteFolder();
      closers.push(() => rm(dir, { recursive: true, force: true }));
    });
    const open = async (): Promise<Database> => {
      await current?.close();
      current = await closed(closers, () => openPglite(dir, () => undefined))();
      return current;
    };
    tests({ kind: 'pglite', disconnect: () => Promise.resolve(), make: making(open) });
  });
  describe('postgres', () => {
    const closers = closeAfterwards();
    let server: TestPostgres;
    let url = '';
    beforeAll(async () => {
      server = await startPostgres();
      url = await server.createDatabase();
      closers.push(() => server.stop());
    });
    const open = closed(closers, () => Promise.resolve(openPostgres({ url, onTrouble: () => undefined })));
    tests({ kind: 'postgres', disconnect: () => server.disconnect(url), make: making(open) });
  });
}

/** @param open opens the same database each time */
function making(open: () => Promise<Database>): Databases['make'] {
  let database: Database | undefined;
  let empty: ((database: Database) => Promise<void>) | undefined;
  return async ({ migrated = true } = {}) => {
    if (database === undefined || isClosed(database)) database = await open();
    if (migrated && empty !== undefined) await empty(database);
    else {
      await database.query('drop schema public cascade');
      await database.query('create schema public');
      empty = undefined;
      if (migrated) {
        await migrate(database);
        empty = await emptying(database);
      }
    }
    return { database, open };
  };
}

const closings = new WeakMap<Database, () => boolean>();

function isClosed(database: Database): boolean {
  return closings.get(database)?.() ?? false;
}

type Closers = (() => Promise<unknown>)[];

function closeAfterwards(): Closers {
  const closers: Closers = [];
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}

/** Makes `close` idempotent. */
function closed(closers: Closers, open: () => Promise<Database>): () => Promise<Database> {
  return async () => {
    const database = await open();
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= database.close());
    closers.push(close);
    const one = { ...database, close };
    closings.set(one, () => closing !== undefined);
    return one;
  };
}
