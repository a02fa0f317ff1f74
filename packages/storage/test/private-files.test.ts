import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '@loopwatch/log';
import { expect, it, onTestFinished } from 'vitest';
import { openPglite } from '../src/pglite-database.ts';

/** Files and folders with permissions for users other than their owner. */
async function openToOthers(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true });
  const modes = await Promise.all(
    ['.', ...entries].map(async (path) => ({ path, mode: (await stat(join(dir, path))).mode })),
  );
  // proper-lockfile's lock is an empty folder, which is removed with the process.
  return modes
    .filter(({ path, mode }) => (mode & 0o077) !== 0 && !path.endsWith('.lock'))
    .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
}

async function open(dir: string, said: string[]): Promise<() => Promise<void>> {
  const log = await openEmbeddedLog({ dir, topics: ['t'], log: (_level, message) => said.push(message) });
  const tell = (_level: string, message: string) => said.push(message);
  const database = await openPglite(dir, () => undefined, tell);
  await log.sink().open();
  await database.query('create table if not exists x as select generate_series(1, 1000) as a');
  return async () => {
    await database.close();
    await log.close();
  };
}

it('a data folder is private to its owner, even if it was readable by others before', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'loopwatch-modes-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const dir = join(parent, 'data');
  const before = process.umask(0o022);
  onTestFinished(() => {
    process.umask(before);
  });
  const said: string[] = [];
  const close = await open(dir, said);
  expect(await openToOthers(dir)).toEqual([]);
  await close();
  expect(await openToOthers(dir)).toEqual([]);
  expect(said).toEqual([]);

  for (const path of ['.', 'log', 'db', 'db/pglite', 'db/pglite/PG_VERSION', 'log/log.db']) {
    const mode = /VERSION|\.db$/.test(path) ? 0o666 : 0o755;
    await chmod(join(dir, path), mode);
  }
  const closeAgain = await open(dir, said);
  expect(await openToOthers(dir)).toEqual([]);
  await closeAgain();
  expect(said).toEqual(['Restricted the data folder to its owner']);
});
