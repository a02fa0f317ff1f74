import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import type { LogFunction } from '../port/log-function.ts';
import { syncFolder } from './files.ts';

/** What lies there is for its owner alone: agents' texts, as users wrote them. */
export const privateFile = 0o600;
export const privateFolder = 0o700;
/** What a data folder holds of ours. */
const parts = ['log', 'db', 'damaged'];
const byOthers = 0o077;

/** Creates a folder, and those it lies in, on the disk; what is new is for its owner alone. */
export async function createFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: privateFolder });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let at = resolve(path); at !== top; at = dirname(at)) await syncFolder(dirname(at));
}

/** Takes away what others may do in a data folder that an older version, or a person, has made. */
export async function closeToOthers(dataDir: string, log: LogFunction | undefined): Promise<void> {
  // There the modes of files mean nothing.
  if (process.platform === 'win32') return;
  try {
    let changed = 0;
    const entries = await readdir(dataDir);
    // A folder with anything else in it is not ours alone.
    const isOurs = entries.every((entry) => parts.includes(entry));
    if (isOurs && ((await stat(dataDir)).mode & byOthers) !== 0) {
      await chmod(dataDir, privateFolder);
      changed += 1;
    }
    for (const part of parts.filter((one) => entries.includes(one)))
      changed += await close(join(dataDir, part));
    if (changed > 0) {
      log?.('info', 'restricted the data folder to its owner', {
        dir: dataDir,
        changed,
      });
    }
  } catch (error) {
    log?.('warn', 'cannot restrict the data folder to its owner; other users of this machine may read it', {
      dir: dataDir,
      error: messageOf(error),
    });
  }
}

/** @returns how many files and folders others could do something with */
async function close(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  // A lock may go meanwhile; a link leads elsewhere.
  if (found === undefined || found.isSymbolicLink()) return 0;
  let changed = 0;
  if ((found.mode & byOthers) !== 0) {
    await chmod(path, found.isDirectory() ? privateFolder : privateFile);
    changed += 1;
  }
  if (found.isDirectory()) {
    for (const entry of await readdir(path)) {
      // An empty folder that comes and goes with the process.
      if (entry !== '.lock') changed += await close(join(path, entry));
    }
  }
  return changed;
}
