import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(homedir(), '.cache', 'loopwatch');

/** Path of a download that is kept between runs; the name includes its version. */
export function cachePath(name: string): string {
  return join(cache, name);
}

/**
 * A folder of the cache. A missing folder is filled beside its path and moved into place when it is complete, so
 * that no other process sees a partial one. Concurrent processes each fill their own; the first wins.
 *
 * @throws whatever `fill` throws; then there is no folder.
 */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = cachePath(name);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'download-'));
  try {
    await fill(work);
    await rename(work, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
