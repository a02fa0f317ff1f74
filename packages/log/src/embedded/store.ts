import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import {
  FolderError,
  folderError,
  privateFile,
  removeChecksums,
  syncFolder,
  writeChecksums,
} from '@loopwatch/platform';
import Database from 'libsql';
import { LogError } from '../port/errors.ts';
import { damagedLog, LOG_FILE } from './damage.ts';

/** Increased with every schema change that older versions cannot read. */
export const FORMAT_VERSION = 1;

export const schema = `
  create table if not exists topics (id integer primary key, name text not null unique);
  create table if not exists tasks (
    id integer primary key, group_name text not null, topic text not null,
    position integer not null, replay_from integer not null, own text, unique (group_name, topic)
  );
  create table if not exists state (
    task integer not null, key text not null, value text not null, primary key (task, key)
  );
`;

/** Blobs are returned as array buffers. */
export type Row = Readonly<Record<string, number | string | ArrayBuffer | null>>;
export type Parameter = number | string | Buffer | null;

/**
 * The SQLite database of an embedded log, in WAL mode. A `transaction` is atomic and survives a crash of the process; `sync`
 * makes it survive a power cut. With `synchronous=full`, SQLite would fsync in each transaction on the event loop; `sync` does
 * so in the thread pool, once for all transactions that wait for it.
 */
export class LogStore {
  readonly #folder: string;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement<[Parameter[]]>>();
  readonly #wal: FileHandle;
  #revoked: Error | undefined;
  #isDamaged = false;

  private constructor(folder: string, database: Database.Database, wal: FileHandle) {
    this.#folder = folder;
    this.#database = database;
    this.#wal = wal;
  }

  /** @throws LogError `corrupt_log`; FolderError `storage_failed` */
  static async open(folder: string): Promise<LogStore> {
    const path = join(folder, LOG_FILE);
    let database: Database.Database | undefined;
    try {
      await removeChecksums(folder);
      // SQLite creates its other files with the mode of this one.
      await (await open(path, 'a', privateFile)).close();
      database = new Database(path);
      for (const pragma of [
        'journal_mode=wal',
        'synchronous=normal',
        'wal_autocheckpoint=2000',
        // What is deleted is overwritten with zeros, so that erased records leave nothing in the file.
        'secure_delete=on',
        'cache_size=-8000',
      ])
        database.exec(`pragma ${pragma}`);
      if (formatOf(folder, database) !== FORMAT_VERSION)
        database.exec(`begin immediate; ${schema} pragma user_version=${FORMAT_VERSION}; commit`);
      convertTasks(database);
      const wal = await open(`${path}-wal`, 'r+');
      const store = new LogStore(folder, database, wal);
      // Writes of a killed process may not be on disk yet; sync them before anything depends on them.
      await store.sync();
      await syncFolder(folder);
      return store;
    } catch (error) {
      database?.close();
      throw storeError(folder, 'open', error);
    }
  }

  /** Makes all further operations fail with `reason`; the first reason wins. */
  revoke(reason: Error): void {
    this.#revoked ??= reason;
  }

  get isRevoked(): boolean {
    return this.#revoked !== undefined;
  }

  /** @throws LogError once the log is closed, or another process may have taken it */
  requireOpen(): void {
    if (this.#revoked !== undefined) throw this.#revoked;
  }

  /** @throws LogError `corrupt_log`; FolderError `storage_failed` */
  query(sql: string, parameters: Parameter[]): Row[] {
    try {
      // `all` runs the statement to its end; an open statement would prevent checkpoints from completing.
      return this.#statement(sql).all(parameters) as Row[];
    } catch (error) {
      throw this.#fault('read', error);
    }
  }

  run(sql: string, parameters: Parameter[]): void {
    this.#statement(sql).run(parameters);
  }

  /**
   * Commits everything that `work` runs, or nothing of it.
   *
   * @throws LogError `corrupt_log`; FolderError `storage_failed`
   */
  transaction<T>(work: () => T): T {
    this.requireOpen();
    try {
      this.run('begin immediate', []);
      const result = work();
      this.run('commit', []);
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback');
      throw this.#fault('write', error);
    }
  }

  /**
   * Resolves once everything that has been committed is on disk.
   *
   * @throws FolderError `storage_failed`
   */
  async sync(): Promise<void> {
    try {
      await this.#wal.datasync();
    } catch (error) {
      throw this.#fault('write', error);
    }
  }

  /** Copies the write-ahead log into the database file and empties it: nothing is left of what was deleted. */
  scrub(): void {
    this.requireOpen();
    try {
      this.query('pragma wal_checkpoint(truncate)', []);
    } catch (error) {
      throw this.#fault('write', error);
    }
  }

  /** Copies the write-ahead log into the database file, with an fsync. After `revoke` with `log_closed`, notes the file's checksums. */
  async close(): Promise<void> {
    try {
      // `libsql` closes a connection only when its statements are garbage-collected, so checkpoint explicitly.
      this.#database.exec('pragma wal_checkpoint(truncate)');
      this.#statements.clear();
      this.#database.close();
    } catch (error) {
      throw this.#fault('close', error);
    } finally {
      await this.#wal.close();
    }
    const isOurs = this.#revoked instanceof LogError && this.#revoked.code === 'log_closed';
    if (isOurs && !this.#isDamaged) await writeChecksums(this.#folder, [LOG_FILE]);
  }

  #fault(action: string, error: unknown): LogError | FolderError {
    const fault = storeError(this.#folder, action, error);
    this.#isDamaged ||= fault.code === 'corrupt_log';
    return fault;
  }

  #statement(sql: string): Database.Statement<[Parameter[]]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<[Parameter[]]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** @returns 0 for a new database */
function formatOf(folder: string, database: Database.Database): number {
  const [row] = database.prepare('pragma user_version').all() as Row[];
  const version = Number(row?.['user_version']);
  if (version <= FORMAT_VERSION) return version;
  throw new LogError(
    'corrupt_log',
    `The embedded log in ${folder} has format ${version}; this version of Loopwatch reads ${FORMAT_VERSION}. Use the version that wrote it, or another folder with --data-dir.`,
  );
}

/** Earlier versions read the table as it is now: they ignore columns that they do not know. */
function convertTasks(database: Database.Database): void {
  const columns = (database.prepare('pragma table_info(tasks)').all() as Row[]).map(({ name }) => name);
  const changes = [
    ...(columns.includes('next_offset') ? ['rename column next_offset to position'] : []),
    ...(columns.includes('resume_from') ? ['rename column resume_from to replay_from'] : []),
    ...(columns.includes('own') ? [] : ['add column own text']),
  ];
  if (changes.length === 0) return;
  const statements = changes.map((change) => `alter table tasks ${change};`);
  database.exec(`begin immediate; ${statements.join(' ')} commit`);
}

/** Wraps an error of SQLite or the file system; a {@link LogError} or {@link FolderError} is returned unchanged. */
function storeError(folder: string, action: string, error: unknown): LogError | FolderError {
  if (error instanceof LogError || error instanceof FolderError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return damagedLog(folder, `${LOG_FILE}: ${messageOf(error)}`, error);
  return folderError(`${action} ${join(folder, LOG_FILE)}`, error);
}
