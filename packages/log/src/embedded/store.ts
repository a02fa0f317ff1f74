import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { FolderError, folderError, privateFile, syncFolder } from '@loopwatch/platform';
import Database from 'libsql';
import { LogError } from '../port/errors.ts';

const fileName = 'log.db';
/** Increased with every schema change that older versions cannot read. */
const FORMAT_VERSION = 1;

const schema = `
  create table if not exists topics (id integer primary key, name text not null unique);
  create table if not exists tasks (
    id integer primary key, group_name text not null, topic text not null,
    next_offset integer not null, resume_from integer not null, unique (group_name, topic)
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
  readonly #path: string;
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement<[Parameter[]]>>();
  readonly #wal: FileHandle;
  #revoked: Error | undefined;

  private constructor(path: string, database: Database.Database, wal: FileHandle) {
    this.#path = path;
    this.#database = database;
    this.#wal = wal;
  }

  /** @throws LogError `corrupt_log`; FolderError `storage_failed` */
  static async open(folder: string): Promise<LogStore> {
    const path = join(folder, fileName);
    let database: Database.Database | undefined;
    try {
      // SQLite creates its other files with the mode of this one.
      await (await open(path, 'a', privateFile)).close();
      database = new Database(path);
      for (const pragma of [
        'journal_mode=wal',
        'synchronous=normal',
        'wal_autocheckpoint=2000',
        'cache_size=-8000',
      ])
        database.exec(`pragma ${pragma}`);
      if (formatOf(folder, database) !== FORMAT_VERSION)
        database.exec(`begin immediate; ${schema} pragma user_version=${FORMAT_VERSION}; commit`);
      const wal = await open(`${path}-wal`, 'r+');
      const store = new LogStore(path, database, wal);
      // Writes of a killed process may not be on disk yet; sync them before anything depends on them.
      await store.sync();
      await syncFolder(folder);
      return store;
    } catch (error) {
      database?.close();
      throw storeError(path, 'open', error);
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
      throw storeError(this.#path, 'read', error);
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
      throw storeError(this.#path, 'write', error);
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
      throw storeError(this.#path, 'write', error);
    }
  }

  /** Copies the write-ahead log into the database file, with an fsync. */
  async close(): Promise<void> {
    try {
      // `libsql` closes a connection only when its statements are garbage-collected, so checkpoint explicitly.
      this.#database.exec('pragma wal_checkpoint(truncate)');
      this.#statements.clear();
      this.#database.close();
    } catch (error) {
      throw storeError(this.#path, 'close', error);
    } finally {
      await this.#wal.close();
    }
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

/** Wraps an error of SQLite or the file system; a {@link LogError} or {@link FolderError} is returned unchanged. */
function storeError(path: string, action: string, error: unknown): LogError | FolderError {
  if (error instanceof LogError || error instanceof FolderError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const advice = `Stop Loopwatch and move the folder away, or restore it from a backup; incidents stay in the database.`;
    return new LogError(
      'corrupt_log',
      `The embedded log ${path} is damaged: ${messageOf(error)}. ${advice}`,
      {
        cause: error,
      },
    );
  }
  return folderError(`${action} ${path}`, error);
}
