import { open } from 'node:fs/promises';
import { messageOf } from '@loopwatch/contract';
import { LogError } from '../port/errors.ts';

/** Puts on the disk which files a folder holds: before that, a power cut may take back a new file or a new name. */
export async function syncFolder(path: string): Promise<void> {
  // There a folder cannot be opened, and its entries are written through.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Wraps what the file system said; a {@link LogError} stays as it is. */
export function storageError(doing: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  const advice = 'Check that the folder can be written and that the disk is not full.';
  return new LogError('storage_failed', `Cannot ${doing}: ${messageOf(error)}. ${advice}`, { cause: error });
}
