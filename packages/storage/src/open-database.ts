import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '@loopwatch/contract';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './pglite-database.ts';

export type StorageSettings = Settings['storage'];

/**
 * The database of the settings, in the form this version needs: PostgreSQL where `storage.database_url` names one, else
 * the embedded one in `storage.data_dir`.
 *
 * @param onLost called when the embedded database cannot be used by this process any more
 * @throws Error that says what is wrong with it and what to do
 */
export async function openDatabase(
  { database_url: url, data_dir: dir }: Pick<StorageSettings, 'database_url' | 'data_dir'>,
  logger: Logger,
  onLost: (error: Error) => void = (error) => {
    logger.error({ err: error }, 'lost the lock on the embedded database');
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
    throw error;
  }
}

/** The client of PostgreSQL is loaded where there is one: the embedded database needs none of it. */
async function connect(url: string, logger: Logger): Promise<Database> {
  const { openPostgres } = await import('./postgres-database.ts');
  return openPostgres({
    url,
    onTrouble: (message, err) => {
      logger.warn({ err }, message);
    },
  });
}
