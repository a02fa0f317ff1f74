import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { lockFolder } from '@loopwatch/log';
import { type Database, DatabaseUnavailable } from './database.ts';

const int8 = 20;

/**
 * The embedded database, in `<dataDir>/db`. It belongs to one process.
 *
 * @throws LogError `data_dir_locked` while another process uses it: the message asks for DATABASE_URL
 */
export async function openPglite(dataDir: string, onLost: (error: Error) => void): Promise<Database> {
  const folder = join(dataDir, 'db');
  await mkdir(folder, { recursive: true });
  let lost: Error | undefined;
  const unlock = await lockFolder(
    folder,
    (error) => {
      lost = error;
      onLost(error);
    },
    'database',
  );
  let lite: PGlite;
  try {
    lite = await PGlite.create(join(folder, 'pglite'), { parsers: { [int8]: Number } });
  } catch (error) {
    await unlock();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The embedded database in ${folder} cannot be opened: ${why}. If it is damaged, move the folder away: it is built again from the log.`,
      { cause: error },
    );
  }
  const requireHeld = (): void => {
    if (lost !== undefined) throw new DatabaseUnavailable(lost.message);
  };
  return {
    kind: 'pglite',
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      requireHeld();
      return (await lite.query<Row>(sql, [...parameters])).rows;
    },
    async transaction(work) {
      requireHeld();
      return lite.transaction((tx) =>
        work({
          query: async <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
            (await tx.query<Row>(sql, [...parameters])).rows,
        }),
      );
    },
    listen: (channel, onNotice) => lite.listen(channel, onNotice),
    async close() {
      await lite.close();
      await unlock();
    },
  };
}
