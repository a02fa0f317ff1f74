import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findIntact, type IntactRun } from './damage.ts';
import { behindLost, type LostRange, lostRanges } from './lost.ts';
import { Segment } from './segment.ts';

/** What is damaged in a topic's one partition. */
export interface TopicDamage {
  readonly topic: string;
  /** Where its files lie. */
  readonly folder: string;
  readonly files: readonly {
    readonly path: string;
    readonly runs: readonly IntactRun[];
    readonly damagedBytes: number;
  }[];
  readonly lost: readonly {
    readonly range: LostRange;
    /** Whether the damage hides how many records it took: then these are as many as it can be. */
    readonly isAtMost: boolean;
  }[];
  /** Where the topic goes on, if that is not behind its last record. */
  readonly newEnd: number | undefined;
  /** Records that can be read. */
  readonly readable: number;
}

/** No line of a record is shorter: offset, timestamp, key and value with their names. */
const leastLineBytes = '{"offset":0,"timestamp":0,"key":null,"value":null}\n'.length;

/** @param reached The offset up to which the topic has held records for sure, as the groups know. */
export async function examineTopic(
  logFolder: string,
  topic: string,
  reached: number,
): Promise<TopicDamage | undefined> {
  const folder = join(logFolder, topic, '0');
  const names = await readdir(folder).catch(() => []);
  const bases = names
    .map((name) => Segment.baseOf(name))
    .filter((base) => base !== undefined)
    .sort((a, b) => a - b);
  const marked = lostRanges(names);
  const files: TopicDamage['files'][number][] = [];
  const lost: TopicDamage['lost'][number][] = [];
  let end = bases[0] ?? 0;
  let readable = 0;
  const missing = (to: number, isAtMost: boolean) => {
    const from = behindLost(marked, end);
    if (from < to) lost.push({ range: { from, to }, isAtMost });
    end = to;
  };
  let newEnd: number | undefined;
  for (const [index, base] of bases.entries()) {
    const next = bases[index + 1];
    const path = join(folder, Segment.fileName(base));
    const bytes = await readFile(path);
    const content = findIntact(bytes, base, next ?? Number.POSITIVE_INFINITY);
    const { runs, damagedBytes, trailingBytes, trailingLines } = content;
    // A start cuts off what a crash has left half written.
    const isTorn = next === undefined && trailingLines === 1 && runs.length <= 1;
    // Whole lines may be missing: then all that is there can be read, but not where it stands.
    const isMoved = runs.length > 1 || (runs[0]?.base ?? base) !== base;
    const isDamaged = isMoved || damagedBytes > (isTorn ? trailingBytes : 0);
    if (isDamaged) files.push({ path, runs, damagedBytes });
    if (runs.length === 0 && next === undefined) missing(base, false);
    for (const run of runs) {
      if (run.base > end) missing(run.base, false);
      end = run.end;
      readable += run.end - run.base;
    }
    if (next !== undefined || !isDamaged) continue;
    newEnd = end + (trailingLines > 1 ? Math.ceil(trailingBytes / leastLineBytes) : 0);
  }
  // Offsets are never given a second time: a group would pass over the records that get them.
  newEnd = Math.max(newEnd ?? end, reached);
  const goesOnLater = newEnd > end;
  if (goesOnLater) missing(newEnd, true);
  if (files.length === 0 && lost.length === 0) return undefined;
  const needsFile = goesOnLater || !files.every(({ runs }) => runs.length > 0);
  return { topic, folder, files, lost, newEnd: needsFile ? newEnd : undefined, readable };
}
