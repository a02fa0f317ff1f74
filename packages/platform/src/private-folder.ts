import { chmod, lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { folderError } from './folder-error.ts';
import type { LogFunction } from './log-function.ts';

/** Modes of data files and folders: they hold agents' texts, so only their owner may read them. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The subfolders that Loopwatch creates in a data folder. */
const ownFolders = ['log', 'db', 'damaged'];
const GROUP_AND_OTHERS = 0o077;

/**
 * Creates a folder with its parents, private to the owner, and syncs each new entry to disk.
 *
 * @throws FolderError `storage_failed`
 */
export async function createFolder(path: string): Promise<void> {
  try {
    await makeFolder(resolve(path));
  } catch (error) {
    throw folderError(`create ${path}`, error);
  }
}

/** Node's own recursion never ends where a folder that is there takes no entries, as `/proc` does. */
async function makeFolder(path: string): Promise<void> {
  if (await isMade(path)) return;
  await makeFolder(dirname(path));
  if (!(await isMade(path))) await mkdir(path);
}

/** @returns false if its parent is missing */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, PRIVATE_FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw error;
    return true;
  }
  await syncFolder(dirname(path));
  return true;
}

/** Removes group and other permissions from a data folder created by an older version or by hand. */
export async function closeToOthers(dataDir: string, log: LogFunction | undefined): Promise<void> {
  // Windows ignores these modes.
  if (process.platform === 'win32') return;
  try {
    let changed = 0;
    const entries = await readdir(dataDir);
    // A folder that holds anything else is shared with other programs: leave its own mode alone.
    const isOurs = entries.every((entry) => ownFolders.includes(entry));
    if (isOurs && ((await stat(dataDir)).mode & GROUP_AND_OTHERS) !== 0) {
      await chmod(dataDir, PRIVATE_FOLDER);
      changed += 1;
    }
    for (const folder of ownFolders.filter((name) => entries.includes(name)))
      changed += await restrict(join(dataDir, folder));
    if (changed > 0) {
      log?.('info', 'Restricted the data folder to its owner', {
        dir: dataDir,
        changed,
      });
    }
  } catch (error) {
    log?.('warn', 'Cannot restrict the data folder to its owner; other users of this machine may read it', {
      dir: dataDir,
      error: messageOf(error),
    });
  }
}

/** @returns how many files and folders had their mode changed */
async function restrict(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  // A lock folder may have disappeared; a symbolic link points elsewhere.
  if (found === undefined || found.isSymbolicLink()) return 0;
  let changed = 0;
  if ((found.mode & GROUP_AND_OTHERS) !== 0) {
    await chmod(path, found.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE);
    changed += 1;
  }
  if (found.isDirectory()) {
    for (const entry of await readdir(path)) {
      // The lock is an empty folder that exists only while a process runs.
      if (entry !== '.lock') changed += await restrict(join(path, entry));
    }
  }
  return changed;
}

/** Makes a folder's entries durable: without it, a power cut may undo a creation or a rename. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and writes its entries through.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
