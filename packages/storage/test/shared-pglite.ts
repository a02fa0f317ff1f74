import { beforeAll } from 'vitest';
import type { Database } from '../src/index.ts';
import { migrate } from '../src/migrate.ts';
import { openPglite } from '../src/pglite-database.ts';
import { emptying } from './emptying.ts';
import { pgliteFolder } from './pglite-folder.ts';

interface Shared {
  readonly database: Database;
  readonly empty: () => Promise<void>;
}

/** Opening and migrating a database takes longer than most files that need one, so it is left open for the next. */
let shared: Promise<Shared> | undefined;

/** The embedded database that this process' tests share. @returns a function that empties and returns it */
export function sharedPglite(): () => Promise<Database> {
  let opened: Shared | undefined;
  beforeAll(async () => {
    opened = await (shared ??= open());
  });
  return async () => {
    if (opened === undefined) throw new Error('The database is only available while tests run');
    await opened.empty();
    return { ...opened.database, close: () => Promise.resolve() };
  };
}

async function open(): Promise<Shared> {
  const database = await openPglite(await pgliteFolder(), () => undefined);
  await migrate(database);
  const empty = await emptying(database);
  return { database, empty: () => empty(database) };
}
