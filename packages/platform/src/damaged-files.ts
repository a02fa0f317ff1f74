import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { removeChecksums } from './folder-checksums.ts';
import { createFolder } from './private-folder.ts';

/**
 * Moves entries of a folder in a data folder to `damaged/<folder>-<time>` beside it; missing ones are skipped.
 *
 * @returns the folder where they are now
 */
export async function setAsideDamaged(folder: string, entries: readonly string[]): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const target = join(dirname(folder), 'damaged', `${basename(folder)}-${time}`);
  await createFolder(target);
  for (const entry of entries) {
    await rename(join(folder, entry), join(target, entry)).catch((error: unknown) => {
      if (!messageOf(error).startsWith('ENOENT')) throw error;
    });
  }
  await removeChecksums(folder);
  return target;
}

/** The command that mends a damaged part of a data folder. */
export function repairCommand(part: 'log' | 'database', dataDir: string): string {
  const path = /^[\w./:\\-]+$/.test(dataDir) ? dataDir : `"${dataDir}"`;
  return `loopwatch repair ${part} --data-dir ${path}`;
}
