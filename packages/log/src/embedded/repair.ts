import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, folderError, lockFolder, setAsideDamaged, writeChecksums } from '@loopwatch/platform';
import Database from 'libsql';
import { LOG_FILE } from './damage.ts';
import { FORMAT_VERSION, schema } from './store.ts';

/** Records per statement, halved where one of them cannot be read. */
const COPIED_RECORDS = 1024;
/** A gap that is longer reaches to the end of the topic. */
const MAX_GAP = 2 ** 40;

export interface RepairedLog {
  /** Where the damaged files are now. */
  readonly damaged: string;
  readonly topics: readonly RepairedTopic[];
  /** Whether the positions and snapshots of the workers were readable; without them, the log is analyzed from its start. */
  readonly hasProgress: boolean;
}

export interface RepairedTopic {
  readonly name: string;
  readonly records: number;
  /** Lost offsets: the first, and the one after the last, or null if the end of the topic could not be read. */
  readonly lost: readonly (readonly [from: number, to: number | null])[];
}

/**
 * Replaces the embedded log in `<dataDir>/log` by one with all its readable records, at their offsets. The damaged files are
 * moved to `<dataDir>/damaged`.
 *
 * @throws FolderError `data_dir_locked`, `storage_failed`
 */
export async function repairEmbeddedLog(dataDir: string): Promise<RepairedLog> {
  const folder = join(dataDir, 'log');
  const path = join(folder, LOG_FILE);
  const staged = join(folder, 'repaired.db');
  await createFolder(folder);
  const unlock = await lockFolder(folder, () => undefined);
  try {
    await rm(staged, { force: true });
    const { topics, hasProgress } = copyReadable(path, staged);
    const damaged = await setAsideDamaged(folder, [LOG_FILE, `${LOG_FILE}-wal`, `${LOG_FILE}-shm`]);
    await rename(staged, path);
    await writeChecksums(folder, [LOG_FILE]);
    return { damaged, topics, hasProgress };
  } catch (error) {
    throw folderError(`repair ${path}`, error);
  } finally {
    await unlock();
  }
}

/** The new database, with the damaged one attached. */
interface Sql {
  readonly all: (sql: string, ...parameters: number[]) => Record<string, number | string>[];
  readonly run: (sql: string) => void;
}

function copyReadable(from: string, to: string): Omit<RepairedLog, 'damaged'> {
  const database = new Database(to);
  const sql: Sql = {
    all: (text, ...parameters) =>
      database.prepare<[number[]]>(text).all(parameters) as Record<string, number | string>[],
    run: (text) => {
      database.exec(text);
    },
  };
  try {
    sql.run(`begin; ${schema} pragma user_version=${String(FORMAT_VERSION)}; commit`);
    const isAttached =
      existsSync(from) && succeeds(() => sql.run(`attach '${from.replaceAll("'", "''")}' as damaged`));
    if (!isAttached) return { topics: [], hasProgress: false };
    const topics: RepairedTopic[] = [];
    for (const { id, name } of attempt(() => sql.all('select id, name from damaged.topics order by id')) ??
      []) {
      const table = `records_${String(id)}`;
      const definition = attempt(() =>
        sql.all(`select sql from damaged.sqlite_schema where name = '${table}'`),
      );
      sql.run(`insert into main.topics select * from damaged.topics where id = ${String(id)}`);
      sql.run(String(definition?.[0]?.['sql']));
      topics.push({ name: String(name), ...copyTopic(table, sql) });
    }
    const copyAll = (table: string, columns: string): boolean =>
      succeeds(() => sql.run(`insert into main.${table} select ${columns} from damaged.${table}`));
    // Earlier versions have one column less.
    const hasTasks = copyAll('tasks', '*') || copyAll('tasks', '*, null');
    const hasProgress = hasTasks && copyAll('state', '*');
    // Snapshots without their positions, or the other way around, would be wrong.
    if (!hasProgress) sql.run('delete from main.tasks; delete from main.state');
    return { topics, hasProgress };
  } finally {
    database.close();
  }
}

/** Copies ever smaller chunks up to a record that cannot be read, then continues after it. */
function copyTopic(table: string, { all, run }: Sql): Omit<RepairedTopic, 'name'> {
  const copy = (at: number, limit: number): boolean =>
    succeeds(() =>
      run(
        `insert or ignore into main.${table} select * from damaged.${table} where offset >= ${String(at)} order by offset limit ${String(limit)}`,
      ),
    );
  /** The last of the first `limit` records from an offset on. */
  const lastOf = (at: number, limit: number): number | null => {
    const [row] = all(
      `select max(offset) as last from (select offset from main.${table} where offset >= ? order by offset limit ?)`,
      at,
      limit,
    );
    return typeof row?.['last'] === 'number' ? row['last'] : null;
  };
  const lost: (readonly [number, number | null])[] = [];
  for (let at = 0, limit = COPIED_RECORDS; ; ) {
    if (copy(at, limit)) {
      const last = lastOf(at, limit);
      if (last === null) break;
      at = last + 1;
      limit = Math.min(COPIED_RECORDS, limit * 2);
    } else if (limit > 1) limit /= 2;
    else {
      const end = endOfGap(at, (from) => copy(from, 1));
      const next = end === null ? null : lastOf(end, 1);
      lost.push([at, next ?? end]);
      if (next === null) break;
      at = next;
    }
  }
  const [row] = all(`select count(*) as records from main.${table}`);
  return { records: Number(row?.['records']), lost };
}

/** @returns the first offset from which records can be read again; null if there is none */
function endOfGap(start: number, isReadable: (from: number) => boolean): number | null {
  let [bad, step] = [start, 1];
  while (!isReadable(start + step)) {
    bad = start + step;
    step *= 2;
    if (step > MAX_GAP) return null;
  }
  let good = start + step;
  while (good - bad > 1) {
    const middle = Math.floor((bad + good) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function succeeds(work: () => unknown): boolean {
  return (
    attempt(() => {
      work();
      return true;
    }) === true
  );
}
