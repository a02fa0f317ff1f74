import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { removeChecksums } from './folder-checksums.ts';
import { FolderError, folderError } from './folder-error.ts';
import { PRIVATE_FILE } from './private-folder.ts';
import { delay } from './timing.ts';

/** The process that holds the lock; stored next to it, so that a dead owner is recognized at once. */
interface Owner {
  readonly pid: number;
  readonly host: string;
}

/** A lock that has not been renewed for this long has expired; its owner renews it five times as often. */
const STALE_MS = 10_000;

/** The content of an owner file once its owner has released the folder; earlier versions delete the file. */
const RELEASED = '{}';

/** Folders locked by this process. An owner file with its process id may stem from a dead process with the same id. */
const held = new Set<string>();

/**
 * Locks a folder for this process. The lock of a killed process is taken over: at once if that process ran on this
 * machine, otherwise when the lock has expired.
 *
 * @param content What the folder holds, for messages.
 * @param onLost Called when the lock was lost because this process was suspended for more than ten seconds.
 * @returns Releases the lock.
 * @throws FolderError `data_dir_locked` while another process, or another user in this process, holds the folder
 */
export async function lockFolder(
  folder: string,
  onLost: (error: FolderError) => void,
  content: 'log' | 'database' = 'log',
): Promise<() => Promise<void>> {
  if (held.has(folder)) throw lockedError(content, folder, 'this process');
  held.add(folder);
  try {
    const lockPath = join(folder, '.lock');
    const ownerPath = join(folder, 'owner.json');
    const release = await acquire({ folder, content }, lockPath, ownerPath, onLost);
    // Another version may have changed the files, and left the checksums of an earlier owner as they were.
    if ((await readFile(ownerPath, 'utf8').catch(() => '')) !== RELEASED) await removeChecksums(folder);
    const owner: Owner = { pid: process.pid, host: hostname() };
    await writeFile(ownerPath, JSON.stringify(owner), { mode: PRIVATE_FILE });
    return async () => {
      await writeFile(ownerPath, RELEASED, { mode: PRIVATE_FILE }).catch(() => undefined);
      // Fails only when the lock was lost, which `onLost` has reported.
      await release().catch(() => undefined);
      held.delete(folder);
    };
  } catch (error) {
    held.delete(folder);
    if (error instanceof FolderError) throw error;
    throw folderError(`lock ${folder}`, error);
  }
}

async function acquire(
  { folder, content }: { readonly folder: string; readonly content: 'log' | 'database' },
  lockfilePath: string,
  ownerPath: string,
  onLost: (error: FolderError) => void,
): Promise<() => Promise<void>> {
  const onCompromised = (error: Error) => onLost(lostError(folder, error));
  const deadline = performance.now() + STALE_MS + 1_000;
  for (;;) {
    try {
      return await lock(folder, { lockfilePath, stale: STALE_MS, update: STALE_MS / 5, onCompromised });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
    }
    const owner = await readOwner(ownerPath);
    const here = owner?.host === hostname();
    if (here && isAlive(owner.pid)) throw lockedError(content, folder, `process ${owner.pid}`);
    if (here) await rm(lockfilePath, { recursive: true, force: true });
    else if (performance.now() > deadline) {
      throw lockedError(
        content,
        folder,
        owner === undefined ? 'another process' : `a process on ${owner.host}`,
      );
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

/** Whether another process on this machine is running; a lock of this process would be in {@link held}. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function lockedError(content: string, folder: string, owner: string): FolderError {
  return new FolderError(
    'data_dir_locked',
    `The embedded ${content} in ${folder} is in use by ${owner}; only one process can use it at a time. Stop the other one, choose another folder with --data-dir, or share the data: Kafka by KAFKA_BROKERS, a database by DATABASE_URL.`,
  );
}

function lostError(folder: string, cause: Error): FolderError {
  return new FolderError(
    'data_dir_locked',
    `The lock on ${folder} was lost (${cause.message}): this process was suspended, and another may have taken the folder.`,
    { cause },
  );
}
