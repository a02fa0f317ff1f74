import { messageOf } from '@loopwatch/contract';
import { FolderError } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';

/** Wraps an error of the file system; a {@link LogError} or {@link FolderError} stays as it is. */
export function storageError(action: string, error: unknown): LogError | FolderError {
  if (error instanceof LogError || error instanceof FolderError) return error;
  const advice = 'Check that the folder is writable and the disk is not full.';
  return new LogError('storage_failed', `Cannot ${action}: ${messageOf(error)}. ${advice}`, { cause: error });
}
