import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type LogFunction, repairCommand, verifyChecksums } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import { mendWriteAheadLog } from './write-ahead-log.ts';

/** The database file in the folder of an embedded log. */
export const LOG_FILE = 'log.db';

/** How long opening waits for the check of a log that was not closed: larger ones are checked while they are used. */
const MAX_CHECK_WAIT_MS = 1_500;

/** @param why what is damaged, and where */
export function damagedLog(folder: string, why: string, cause?: unknown): LogError {
  return new LogError(
    'corrupt_log',
    `The embedded log in ${folder} is damaged: ${why}. Stop Loopwatch and run: ${repairCommand('log', dirname(folder))}`,
    { cause },
  );
}

/**
 * Looks for damage before the database is opened. After a proper close every file has its checksums; otherwise the
 * write-ahead log is checked, and the structure of the database in a thread.
 *
 * @returns to be called once the database is open: resolves when the structure was checked, or after a moment; then
 *   `onDamage` may still be called
 * @throws LogError `corrupt_log`
 */
export async function findDamage(
  folder: string,
  log: LogFunction | undefined,
): Promise<(onDamage: (error: LogError) => void) => Promise<void>> {
  const path = join(folder, LOG_FILE);
  const { state, damage } = await verifyChecksums(folder);
  if (state === 'damaged') throw damagedLog(folder, damage);
  const [database, ...others] = await Promise.all(
    ['', '-wal', '-shm'].map((suffix) => sizeOf(`${path}${suffix}`)),
  );
  const isNew = others.every((bytes) => bytes === undefined);
  if (state === 'intact' || (database === undefined && isNew)) return () => Promise.resolve();
  // SQLite would delete the write-ahead log of an empty database.
  if (database === undefined) throw damagedLog(folder, `${LOG_FILE} is missing`);
  if (database === 0 && !isNew) throw damagedLog(folder, `${LOG_FILE} is empty`);
  const lost = await mendWriteAheadLog(path);
  if (lost !== undefined) log?.('error', `${lost}. Send those events again.`, { folder });
  return (onDamage) => checkStructure(folder, path, onDamage);
}

async function checkStructure(
  folder: string,
  path: string,
  onDamage: (error: LogError) => void,
): Promise<void> {
  const thread = new Worker(new URL('./check-thread.js', import.meta.url), {
    workerData: path,
    execArgv: [],
  });
  // A check never keeps a process alive.
  thread.unref();
  let timer: NodeJS.Timeout | undefined;
  const checked = new Promise<void>((resolve) => {
    thread.once('message', (found: string) => {
      if (found !== 'ok') onDamage(damagedLog(folder, `${LOG_FILE}: ${found}`));
      resolve();
    });
    thread.once('error', () => resolve());
  });
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_CHECK_WAIT_MS);
  });
  await Promise.race([checked, waited]);
  clearTimeout(timer);
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
