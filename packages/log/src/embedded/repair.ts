import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createFolder, lockFolder, privateFile, syncFolder } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import { storageError } from './files.ts';
import { examineJournal, type JournalDamage } from './journal-damage.ts';
import { lostFileName } from './lost.ts';
import { Segment } from './segment.ts';
import { examineTopic, type TopicDamage } from './topic-damage.ts';

/** What is damaged in an embedded log, and where a repair keeps the damaged files. */
export interface RepairPlan {
  readonly folder: string;
  readonly topics: readonly TopicDamage[];
  readonly journals: readonly JournalDamage[];
  readonly aside: string;
}

/**
 * Examines every file of the embedded log in a data folder, and repairs what is damaged if it is told to: damaged files
 * go aside, what can be read stays at its offsets, and the offsets that are lost are marked.
 *
 * @param stamp Names the folder of what goes aside.
 * @throws LogError `data_dir_locked` while a process uses the log, `storage_failed`.
 */
export async function repairEmbeddedLog(
  dir: string,
  { apply, stamp }: { readonly apply: boolean; readonly stamp: string },
): Promise<RepairPlan> {
  const folder = join(dir, 'log');
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new LogError(
      'storage_failed',
      `There is no embedded log in ${dir}. Name the folder that Loopwatch runs with: --data-dir, or storage.data_dir in its settings.`,
    );
  }
  const unlock = await lockFolder(folder, () => undefined);
  try {
    const plan = { ...(await examine(folder)), aside: join(dir, 'damaged', stamp) };
    if (apply) await repair(plan);
    return plan;
  } catch (error) {
    throw storageError(`repair ${folder}`, error);
  } finally {
    await unlock();
  }
}

async function examine(folder: string): Promise<Omit<RepairPlan, 'aside'>> {
  const groups = join(folder, 'groups');
  const files = await readdir(groups).catch(() => []);
  const journals = await Promise.all(
    files.filter((file) => file.endsWith('.journal')).map((file) => examineJournal(join(groups, file))),
  );
  const topics: TopicDamage[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'groups' || entry.name.startsWith('.')) continue;
    const reached = Math.max(0, ...journals.map(({ reached: ends }) => ends.get(entry.name) ?? 0));
    const damage = await examineTopic(folder, entry.name, reached);
    if (damage !== undefined) topics.push(damage);
  }
  return {
    folder,
    topics,
    journals: journals.flatMap(({ damage }) => damage ?? []),
  };
}

async function repair(plan: RepairPlan): Promise<void> {
  const { folder, topics, journals, aside } = plan;
  if (topics.length === 0 && journals.length === 0) return;
  for (const path of [
    ...topics.flatMap(({ files }) => files.map(({ path }) => path)),
    ...journals.map(({ path }) => path),
  ]) {
    const copy = join(aside, relative(folder, path));
    await createFolder(dirname(copy));
    await replace(copy, await readFile(path));
  }
  for (const topic of topics) await repairTopic(topic);
  for (const { path, intactBytes } of journals) {
    await replace(path, (await readFile(path)).subarray(0, intactBytes));
  }
}

/** A kill at any point leaves what a second repair can finish: the damaged file goes last. */
async function repairTopic({ folder, files, lost, newEnd }: TopicDamage): Promise<void> {
  for (const { range } of lost) await replace(join(folder, lostFileName(range)), Buffer.alloc(0));
  if (newEnd !== undefined) await replace(join(folder, Segment.fileName(newEnd)), Buffer.alloc(0));
  for (const { path, runs } of files) {
    const bytes = await readFile(path);
    for (const { base, start, stop } of runs.toReversed()) {
      await replace(join(folder, Segment.fileName(base)), bytes.subarray(start, stop));
    }
    const isReplaced = runs.some(({ base }) => join(folder, Segment.fileName(base)) === path);
    const isNewEnd = newEnd !== undefined && join(folder, Segment.fileName(newEnd)) === path;
    if (!isReplaced && !isNewEnd) await rm(path);
  }
  await syncFolder(folder);
}

/** The content is in the file as a whole, or the file is as it was. */
async function replace(path: string, content: Buffer): Promise<void> {
  const temporary = `${path}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, content, { flush: true, mode: privateFile });
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
