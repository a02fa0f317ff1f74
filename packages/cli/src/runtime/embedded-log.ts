import { resolve } from 'node:path';
import type { Settings, TopicNames } from '@loopwatch/contract';
import { type EmbeddedLog, openEmbeddedLog } from '@loopwatch/log';
import type { Logger } from 'pino';
import { exitWhenStorageLost } from './lifecycle.ts';
import { logFunction } from './logger.ts';

/** The event log in the data folder. @throws LogError when another process has it, or it cannot be used */
export async function openDataDir(
  settings: Settings,
  topics: TopicNames,
  logger: Logger,
): Promise<EmbeddedLog> {
  const dir = resolve(settings.storage.data_dir);
  const log = await openEmbeddedLog({
    dir,
    topics: Object.values(topics),
    log: logFunction(logger),
    onLockLost: exitWhenStorageLost(logger),
  });
  logger.info({ dir }, `Embedded event log in ${dir}`);
  return log;
}
