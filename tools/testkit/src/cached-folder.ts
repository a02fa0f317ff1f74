import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(homedir(), '.cache', 'loopwatch');
const PARTIAL = 'download-';
const DAY_MS = 86_400_000;

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
  await removeAbandoned();
  const work = await mkdtemp(join(cache, PARTIAL));
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

/** Removes what killed processes left behind, which can be gigabytes. */
async function removeAbandoned(): Promise<void> {
  const partial = (await readdir(cache)).filter((name) => name.startsWith(PARTIAL));
  for (const folder of partial.map((name) => join(cache, name))) {
    const { mtimeMs = Infinity } = (await stat(folder).catch(() => undefined)) ?? {};
    if (mtimeMs < Date.now() - DAY_MS) await rm(folder, { recursive: true, force: true });
  }
}
