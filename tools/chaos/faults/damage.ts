import { open, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../random.ts';

/** Bytes at the end of a log that a power failure may lose or spoil, because they were not on the disk yet. */
const TAIL_BYTES = 2_000;

type Damage = (file: string, random: Random) => Promise<void>;

/**
 * By ending of the file. Kafka finds all of it when it starts, cuts the log there, and fetches the rest from the leader. A log ends
 * too early or in zeros, as after a power failure; with other bytes, which look like offsets, Kafka refuses to start.
 */
const damages: Readonly<Record<string, readonly Damage[]>> = {
  '.log': [cutTail, zeroTail, addZeros],
  '.index': [addGarbage, overwrite],
  '.timeindex': [addGarbage, overwrite],
  '.snapshot': [overwrite],
};

/**
 * Damages the latest files of some partitions of a broker that was killed, and is no longer in sync in any of them. Spares the
 * log of the controllers: a majority of them must keep what they acknowledged.
 *
 * @param folder the broker's data
 * @returns the number of damaged files
 */
export async function damageLogs(folder: string, random: Random): Promise<number> {
  const partitions = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) =>
      entry.isDirectory() && /-\d+$/.test(entry.name) && !entry.name.startsWith('__cluster_metadata'),
  );
  let damaged = 0;
  for (const { name } of partitions) {
    if (!random.chance(1 / 2)) continue;
    const files = await readdir(join(folder, name));
    for (const [ending, ways] of Object.entries(damages)) {
      const latest = files
        .filter((file) => file.endsWith(ending))
        .toSorted()
        .at(-1);
      if (latest === undefined || (ending !== '.log' && random.chance(2 / 3))) continue;
      await random.pick(ways)(join(folder, name, latest), random);
      damaged += 1;
    }
  }
  return damaged;
}

async function cutTail(file: string, random: Random): Promise<void> {
  const { size } = await stat(file);
  await truncate(file, Math.max(0, size - random.between(1, TAIL_BYTES)));
}

async function zeroTail(file: string, random: Random): Promise<void> {
  const { size } = await stat(file);
  const length = Math.min(size, random.between(1, TAIL_BYTES));
  await using handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(length), 0, length, size - length);
}

async function addZeros(file: string, random: Random): Promise<void> {
  await writeFile(file, Buffer.alloc(random.between(1, TAIL_BYTES)), { flag: 'a' });
}

async function addGarbage(file: string, random: Random): Promise<void> {
  await writeFile(file, garbage(random, random.between(1, TAIL_BYTES)), { flag: 'a' });
}

async function overwrite(file: string, random: Random): Promise<void> {
  await writeFile(file, garbage(random, random.between(0, TAIL_BYTES)));
}

function garbage(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)));
}
