import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import {
  closeToOthers,
  createFolder,
  FolderError,
  type LogFunction,
  lockFolder,
  removeChecksums,
  repairCommand,
  setAsideDamaged,
  verifyChecksums,
  writeChecksums,
} from '@loopwatch/platform';
import { type Database, DatabaseUnavailable } from './database.ts';
import { PgliteClient } from './pglite-client.ts';
import { extractPgliteTemplate } from './pglite-template.ts';

/** The subfolder with PostgreSQL's files. */
const FILES = 'pglite';

/** SQLSTATE of a lock that was not to be had. */
const OF_A_LOCK = '55P03';
/** SQLSTATE of damaged data and of files that are missing or too short. */
const OF_DAMAGE = /^(?:XX00[12]|58P01|58030)$/;

/**
 * The embedded database in `<dataDir>/db`, for one process at a time.
 *
 * @throws FolderError `data_dir_locked` while another process uses it; the message suggests DATABASE_URL
 */
export async function openPglite(
  dataDir: string,
  onLost: (error: Error) => void,
  log?: LogFunction,
): Promise<Database> {
  const folder = join(dataDir, 'db');
  await createFolder(join(folder, FILES));
  await closeToOthers(dataDir, log);
  let lost: Error | undefined;
  const lose = (error: Error): void => {
    lost = error;
    onLost(error);
  };
  const unlock = await lockFolder(folder, lose, 'database');
  const files = join(folder, FILES);
  let lite: PgliteClient | undefined;
  const damaged = (why: string, cause?: unknown): FolderError =>
    new FolderError(
      'storage_failed',
      `The embedded database in ${folder} is damaged: ${why}. It can be rebuilt from the log: stop Loopwatch and run: ${repairCommand('database', dataDir)}`,
      { cause },
    );
  let isDamaged = false;
  try {
    const { state, damage } = await verifyChecksums(folder);
    if (state === 'damaged') throw damaged(damage);
    const entries = await readdir(files);
    // PGlite would create a new database over the old one.
    if (entries.length > 0 && !entries.includes('PG_VERSION'))
      throw damaged(`${FILES}/PG_VERSION is missing`);
    await removeChecksums(folder);
    await extractPgliteTemplate(files);
    lite = new PgliteClient(files, lose);
    await lite.open();
  } catch (error) {
    await lite?.terminate();
    await unlock();
    throw error instanceof FolderError ? error : damaged(`it cannot be opened: ${messageOf(error)}`, error);
  }
  /** Says what to do about damage that a statement comes upon. */
  const explain = (error: unknown): unknown => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === OF_A_LOCK) return new DatabaseUnavailable(messageOf(error), { cause: error });
    if (!OF_DAMAGE.test(code)) return error;
    isDamaged = true;
    return Object.assign(damaged(messageOf(error), error), { code });
  };
  const requireLock = (): void => {
    if (lost !== undefined) throw new DatabaseUnavailable(lost.message);
  };
  return {
    kind: 'pglite',
    async query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
      requireLock();
      return lite.query<Row>(sql, parameters).catch((error: unknown) => {
        throw explain(error);
      });
    },
    async transaction(work) {
      requireLock();
      return lite.transaction(work).catch((error: unknown) => {
        throw explain(error);
      });
    },
    listen: (channel, onNotice) => lite.listen(channel, onNotice),
    load: () => ({
      connections: 1,
      idle: lite.pending === 0 ? 1 : 0,
      waiting: Math.max(0, lite.pending - 1),
    }),
    async close() {
      try {
        await lite.close();
        if (lost === undefined && !isDamaged) await writeChecksums(folder, [FILES]);
      } finally {
        await unlock();
      }
    },
  };
}

/**
 * Moves the files of the embedded database in `<dataDir>/db` to `<dataDir>/damaged`: the next start builds it from the log.
 *
 * @returns where the files are now
 * @throws FolderError `data_dir_locked` while a process uses it; `storage_failed`
 */
export async function repairPglite(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'db');
  await createFolder(folder);
  const unlock = await lockFolder(folder, () => undefined, 'database');
  try {
    return await setAsideDamaged(folder, [FILES]);
  } finally {
    await unlock();
  }
}
