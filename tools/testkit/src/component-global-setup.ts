import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';

/**
 * Vitest calls this once before the project's tests, and what it returns after them. The tests share a PostgreSQL server,
 * because starting one takes more CPU time than most files. Their temporary files are in one folder, because what they keep
 * open from file to file is still there when Vitest kills their processes.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  process.env['TEST_DATABASE_URL'] = postgres.url;
  const folder = await mkdtemp(join(tmpdir(), 'loopwatch-tests-'));
  process.env['TMPDIR'] = folder;
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
