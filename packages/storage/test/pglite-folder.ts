import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPglite } from '../src/pglite-database.ts';

/** Of the database's version, so that another one makes its own. */
const cache = join(import.meta.dirname, '../../../node_modules/.cache/loopwatch-pglite-0.5.16');

/**
 * A new data folder that holds an empty embedded database. Making one takes seconds of computing, so it is made once and
 * copied; whoever calls removes the copy.
 */
export async function pgliteFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loopwatch-pglite-'));
  const known = await stat(cache).catch(() => undefined);
  if (known === undefined) {
    const fresh = await mkdtemp(join(tmpdir(), 'loopwatch-pglite-'));
    const database = await openPglite(fresh, () => undefined);
    await database.close();
    await mkdir(join(cache, '..'), { recursive: true });
    // Another test may have been faster: its copy is as good.
    const staged = `${cache}.${String(process.pid)}`;
    await cp(fresh, staged, { recursive: true });
    await rm(fresh, { recursive: true });
    await rename(staged, cache).catch(() => rm(staged, { recursive: true, force: true }));
  }
  await cp(cache, dir, { recursive: true });
  return dir;
}
