import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '@loopwatch/contract';
import { FolderError, repairCommand } from '@loopwatch/platform';
import type { Logger } from 'pino';
import { type Database, DatabaseUnavailable } from './database.ts';
import { MigrationError, migrate } from './migrate.ts';
import { openPglite } from './pglite-database.ts';

export type StorageSettings = Settings['storage'];

/**
 * Opens and migrates the configured database: PostgreSQL if `storage.database_url` is set, otherwise the embedded database in
 * `storage.data_dir`.
 *
 * @param onLost called when this process can no longer use the embedded database
 * @throws Error that names the problem and how to fix it
 */
export async function openDatabase(
  { database_url: url, data_dir: dir }: Pick<StorageSettings, 'database_url' | 'data_dir'>,
  logger: Logger,
  onLost: (error: Error) => void = (error) => {
    logger.error({ err: error }, 'Lost the lock on the embedded database');
  },
): Promise<Database> {
  if (url === undefined && !existsSync(join(resolve(dir), 'db')))
    logger.info('Setting up the database; the first start takes a few seconds longer');
  const database =
    url === undefined
      ? await openPglite(resolve(dir), onLost, (level, message, fields) => {
          logger[level](fields, message);
        })
      : await connect(url, logger);
  try {
    const steps = await migrate(database);
    if (steps.length > 0) logger.info({ database: database.kind, steps }, 'The database is up to date');
    return database;
  } catch (error) {
    await database.close();
    if (error instanceof DatabaseUnavailable && url !== undefined) {
      const remedy =
        'Start it, or correct DATABASE_URL (storage.database_url); `loopwatch doctor` checks whether it can be used.';
      throw new DatabaseUnavailable(`${error.message}. ${remedy}`, { cause: error });
    }
    if (!(error instanceof MigrationError)) throw error;
    const start = 'Start the version that applied it, or rebuild the database from the log';
    const remedy =
      url === undefined ? `${start}: ${repairCommand('database', dir)}` : `${start}: use an empty one.`;
    throw new FolderError('storage_failed', `${error.message} ${remedy}`, { cause: error });
  }
}

/** Loads the PostgreSQL client only when it is needed; the embedded database does not use it. */
async function connect(url: string, logger: Logger): Promise<Database> {
  const { openPostgres } = await import('./postgres-database.ts');
  return openPostgres({
    url,
    onTrouble: (message, err) => {
      logger.warn({ err }, message);
    },
  });
}
