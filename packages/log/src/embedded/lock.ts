import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { LogError } from '../port/errors.ts';
import { delay } from '../port/timing.ts';
import { storageError } from './files.ts';
import { privateFile } from './private-folder.ts';

/** Who holds a folder; written beside the lock so that a dead holder is recognised at once. */
interface Owner {
  readonly pid: number;
  readonly host: string;
}

/** The holder renews its lock five times as often; a lock not renewed for so long has expired. */
const staleMs = 10_000;

/** Folders this process holds: its own process id in an owner file may also be a dead process' one. */
const held = new Set<string>();

/**
 * Takes a folder for this process alone. What a killed process left behind is taken over: at once when it ran on this
 * machine, else when its lock has not been renewed for ten seconds.
 *
 * @param what What it holds, for messages.
 * @param onLost Called when the lock was taken away, after the process stood still for more than ten seconds.
 * @returns Gives the folder back.
 * @throws LogError `data_dir_locked` while another process, or another log of this one, uses the folder.
 */
export async function lockFolder(
  folder: string,
  onLost: (error: LogError) => void,
  what: 'log' | 'database' = 'log',
): Promise<() => Promise<void>> {
  if (held.has(folder)) throw lockedError(what, folder, 'this process');
  held.add(folder);
  try {
    const lockPath = join(folder, '.lock');
    const ownerPath = join(folder, 'owner.json');
    const release = await acquire({ folder, what }, lockPath, ownerPath, onLost);
    const owner: Owner = { pid: process.pid, host: hostname() };
    await writeFile(ownerPath, JSON.stringify(owner), { mode: privateFile });
    return async () => {
      await rm(ownerPath, { force: true });
      // Fails only when the lock was lost, of which `onLost` told.
      await release().catch(() => undefined);
      held.delete(folder);
    };
  } catch (error) {
    held.delete(folder);
    throw storageError(`lock ${folder}`, error);
  }
}

async function acquire(
  { folder, what }: { readonly folder: string; readonly what: 'log' | 'database' },
  lockfilePath: string,
  ownerPath: string,
  onLost: (error: LogError) => void,
): Promise<() => Promise<void>> {
  const onCompromised = (error: Error) => onLost(lostError(folder, error));
  const deadline = Date.now() + staleMs + 1_000;
  for (;;) {
    try {
      return await lock(folder, { lockfilePath, stale: staleMs, update: staleMs / 5, onCompromised });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
    }
    const owner = await readOwner(ownerPath);
    const here = owner?.host === hostname();
    if (here && isAlive(owner.pid)) throw lockedError(what, folder, `process ${owner.pid}`);
    if (here) await rm(lockfilePath, { recursive: true, force: true });
    else if (Date.now() > deadline) {
      throw lockedError(what, folder, owner === undefined ? 'another process' : `a process on ${owner.host}`);
    } else await delay(250);
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof owner !== 'object' || owner === null || !('pid' in owner) || !('host' in owner))
      return undefined;
    const { pid, host } = owner;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine lives; this one does not count, it would be in {@link held}. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not allowed to signal it: it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function lockedError(what: string, folder: string, who: string): LogError {
  return new LogError(
    'data_dir_locked',
    `The embedded ${what} in ${folder} is in use by ${who}, and belongs to one process at a time. Stop the other one, choose another folder with --data-dir, or share the data: Kafka by KAFKA_BROKERS, a database by DATABASE_URL.`,
  );
}

function lostError(folder: string, cause: Error): LogError {
  return new LogError(
    'data_dir_locked',
    `The lock on ${folder} was lost (${cause.message}): this process was suspended, and another may have taken the folder.`,
    { cause },
  );
}
