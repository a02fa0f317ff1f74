import { cpSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPglite } from '../src/pglite-database.ts';

/** Includes the version of PGlite, so that each version creates its own copy. */
const cache = join(import.meta.dirname, '../../../node_modules/.cache/empty-pglite-0.5.16');

/**
 * A new data folder with an empty embedded database. Creating one takes seconds of CPU time, so it is created once and copied;
 * the caller removes the copy.
 */
export async function pgliteFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loopwatch-pglite-'));
  const known = await stat(cache).catch(() => undefined);
  if (known === undefined) {
    const fresh = await mkdtemp(join(tmpdir(), 'loopwatch-pglite-'));
    const database = await openPglite(fresh, () => undefined);
    await database.close();
    await mkdir(join(cache, '..'), { recursive: true });
    // Another test may have created the same copy first.
    const staged = `${cache}.${String(process.pid)}`;
    cpSync(fresh, staged, { recursive: true });
    await rm(fresh, { recursive: true });
    await rename(staged, cache).catch(() => rm(staged, { recursive: true, force: true }));
  }
  // A third of the CPU time of copying hundreds of small files asynchronously.
  cpSync(cache, dir, { recursive: true });
  return dir;
}
