import { join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { closeToOthers, createFolder, FolderError, type LogFunction, lockFolder } from '@loopwatch/platform';
import { type Database, DatabaseUnavailable } from './database.ts';
import { PgliteClient } from './pglite-client.ts';
import { extractPgliteTemplate } from './pglite-template.ts';

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
  await createFolder(join(folder, 'pglite'));
  await closeToOthers(dataDir, log);
  let lost: Error | undefined;
  const lose = (error: Error): void => {
    lost = error;
    onLost(error);
  };
  const unlock = await lockFolder(folder, lose, 'database');
  const files = join(folder, 'pglite');
  let lite: PgliteClient | undefined;
  try {
    await extractPgliteTemplate(files);
    lite = new PgliteClient(files, lose);
    await lite.open();
  } catch (error) {
    await lite?.terminate();
    await unlock();
    const why = messageOf(error);
    throw new FolderError(
      'storage_failed',
      `The embedded database in ${folder} cannot be opened: ${why}. If it is damaged, move the folder away: the database is rebuilt from the log.`,
      { cause: error },
    );
  }
  const requireLock = (): void => {
    if (lost !== undefined) throw new DatabaseUnavailable(lost.message);
  };
  return {
    kind: 'pglite',
    async query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
      requireLock();
      return lite.query<Row>(sql, parameters);
    },
    async transaction(work) {
      requireLock();
      return lite.transaction(work);
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
      } finally {
        await unlock();
      }
    },
  };
}
