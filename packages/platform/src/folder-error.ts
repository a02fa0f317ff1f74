import { messageOf } from '@loopwatch/contract';

/** Why a data folder cannot be used: another process uses it, or it cannot be read or written. */
export type FolderErrorCode = 'data_dir_locked' | 'storage_failed';

/** The message names the folder and how to fix the problem; `cause` is the original error. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
  readonly code: FolderErrorCode;

  constructor(code: FolderErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Wraps an error of the file system. @param action such as `lock /var/lib/loopwatch/log` */
export function folderError(action: string, error: unknown): FolderError {
  const advice = 'Check that the folder is writable and the disk is not full.';
  return new FolderError('storage_failed', `Cannot ${action}: ${messageOf(error)}. ${advice}`, {
    cause: error,
  });
}
