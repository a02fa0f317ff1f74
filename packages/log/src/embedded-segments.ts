import { readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { syncFolder } from './embedded-files.ts';
import { Segment } from './embedded-segment.ts';
import type { LogFunction } from './log-function.ts';
import { createFolder, privateFile } from './private-folder.ts';

/**
 * The segments in a topic's folder, oldest first; the folder and a first segment are created if there are none, and what
 * a crash left half written is cut off.
 *
 * @throws LogError `corrupt_log`, and whatever the file system says.
 */
export async function openSegments(folder: string, log: LogFunction | undefined): Promise<Segment[]> {
  await createFolder(folder);
  const found = (await readdir(folder))
    .map((file) => Segment.baseOf(file))
    .filter((base) => base !== undefined);
  const bases = found.length === 0 ? [0] : found.sort((a, b) => a - b);
  const segments = bases.map((base) => Segment.inFolder(folder, base));
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined) {
      await recover(segment, log);
      continue;
    }
    segment.end = next.base;
    segment.size = (await stat(segment.path)).size;
  }
  await syncFolder(folder);
  return segments;
}

async function recover(active: Segment, log: LogFunction | undefined): Promise<void> {
  // Created here if there is none, so that it can be read.
  await writeFile(active.path, '', { flag: 'a', mode: privateFile });
  const { size } = await stat(active.path);
  await active.recover(size);
  if (active.size === size) return;
  await truncate(active.path, active.size);
  log?.('warn', 'cut off the last line, which a crash had left half written', {
    file: active.path,
    bytes: size - active.size,
  });
}
