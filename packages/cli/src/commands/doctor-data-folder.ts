import { existsSync } from 'node:fs';
import { access, constants, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { createFolder, folderError } from '@loopwatch/platform';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that the data folder can be written, or else created; one that was missing is missing afterwards, too. */
export async function checkDataFolder(path: string): Promise<Diagnosis> {
  const dir = resolve(path);
  const missing = missingFolders(dir);
  try {
    await createFolder(dir);
    await access(dir, constants.W_OK).catch((error: unknown) => {
      throw folderError(`write to ${dir}`, error);
    });
    return { ok: true, what: `data folder ${dir} can be ${missing.length === 0 ? 'written' : 'created'}` };
  } catch (error) {
    const advice = `${messageOf(error)} Or choose another folder with --set storage.data_dir=…`;
    return { ok: false, what: `data folder ${dir}`, advice };
  } finally {
    // One that another process uses by now is not empty, and stays.
    for (const folder of missing) await rmdir(folder).catch(() => undefined);
  }
}

/** A folder and its parents that do not exist, the deepest first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}
