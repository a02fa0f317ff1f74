import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings, TopicNames } from '@loopwatch/contract';
import { type EmbeddedLog, openEmbeddedLog } from '@loopwatch/log';
import type { Logger } from 'pino';
import { exitWhenStorageLost } from './lifecycle.ts';
import { logFunction } from './logger.ts';
import { onlyInDatabase } from './only-in-database.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * The event log in the data folder.
 *
 * @param read topics that this process reads
 * @throws LogError when another process has it, or it cannot be used
 */
export async function openDataDir(
  settings: Settings,
  topics: TopicNames,
  logger: Logger,
  read: readonly string[] = [],
): Promise<EmbeddedLog> {
  const dir = resolve(settings.storage.data_dir);
  const isDatabaseGone =
    settings.storage.database_url === undefined &&
    existsSync(join(dir, 'log', 'log.db')) &&
    !existsSync(join(dir, 'db'));
  const log = await openEmbeddedLog({
    dir,
    topics: Object.values(topics),
    read,
    retentionBytes: settings.storage.log_retention_megabytes * MEBIBYTE,
    maxBytes: settings.storage.log_max_megabytes * MEBIBYTE,
    log: logFunction(logger),
    onLost: exitWhenStorageLost(logger),
  });
  logger.info({ dir }, `Embedded event log in ${dir}`);
  // Nothing was in the database of a log without records, such as of a first start that failed on its port.
  if (isDatabaseGone && Object.values(topics).some((topic) => log.endOffset(topic) > 0))
    logger.warn(
      `The database is gone, and is rebuilt from the log. What only the database held is lost: ${onlyInDatabase}`,
    );
  return log;
}
