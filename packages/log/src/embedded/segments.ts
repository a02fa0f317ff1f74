import { readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { createFolder, type LogFunction, privateFile, syncFolder } from '@loopwatch/platform';
import { type LostRange, lostRanges } from './lost.ts';
import { Segment } from './segment.ts';

/** What lies in a topic's folder. */
export interface SegmentFiles {
  /** Oldest first, at least one. */
  readonly segments: Segment[];
  /** What a repair found to be lost between and behind them. */
  readonly lost: readonly LostRange[];
}

/**
 * The segments in a topic's folder; the folder and a first segment are created if there are none, and what
 * a crash left half written is cut off.
 *
 * @throws LogError `corrupt_log`, and whatever the file system says.
 */
export async function openSegments(folder: string, log: LogFunction | undefined): Promise<SegmentFiles> {
  await createFolder(folder);
  const files = await readdir(folder);
  const lost = lostRanges(files);
  const found = files.map((file) => Segment.baseOf(file)).filter((base) => base !== undefined);
  const bases = found.length === 0 ? [0] : found.sort((a, b) => a - b);
  const segments = bases.map((base) => Segment.inFolder(folder, base));
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined) {
      await recover(segment, log);
      continue;
    }
    const gap = lost.find(({ from }) => from >= segment.base && from < next.base);
    segment.end = gap?.from ?? next.base;
    segment.size = (await stat(segment.path)).size;
  }
  await syncFolder(folder);
  return { segments, lost };
}

async function recover(active: Segment, log: LogFunction | undefined): Promise<void> {
  // Created here if there is none, so that it can be read.
  await writeFile(active.path, '', { flag: 'a', mode: privateFile });
  const { size } = await stat(active.path);
  await active.recover(size);
  if (active.size === size) return;
  await truncate(active.path, active.size);
  log?.('warn', 'truncated the last line, left incomplete by a crash', {
    file: active.path,
    bytes: size - active.size,
  });
}
