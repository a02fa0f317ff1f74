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
    tests({ kind: 'pglite', disconnect: () => Promise.resolve(), make: makePglite });
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
    const open = (): Promise<Database> => {
      const database = closable(openPostgres({ url, onTrouble: () => undefined }));
      closers.push(() => database.close());
      return Promise.resolve(database);
    };
    tests({ kind: 'postgres', disconnect: () => server.disconnect(url), make: making(open) });
  });
}

let folder: string | undefined;
let pglite: Database | undefined;

/** Opening and migrating the embedded database takes longer than most files that need one, so it is left open for the next. */
export const makePglite = making(async () => {
  await pglite?.close();
  folder ??= await pgliteFolder();
  pglite = closable(await openPglite(folder, () => undefined));
  return pglite;
});

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
function closable(database: Database): Database {
  let closing: Promise<void> | undefined;
  const one = { ...database, close: (): Promise<void> => (closing ??= database.close()) };
  closings.set(one, () => closing !== undefined);
  return one;
}
