import { cp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderError } from '@loopwatch/platform';
import { tempDir } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPglite, repairPglite } from '../src/pglite-database.ts';

/** A data folder whose database was closed, with a table of 5,000 rows and an index. */
let dir = '';
let table = '';
let index = '';
let segment = '';
let remove: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  const made = await tempDir();
  remove = () => made.remove();
  dir = made.path;
  const database = await openPglite(dir, () => undefined);
  await database.query(
    `create table t as select n, repeat('x', 100) as text from generate_series(1, 5000) as n`,
  );
  await database.query('create index t_by_n on t (n)');
  const [row] = await database.query<{ t: string; i: string }>(
    `select pg_relation_filepath('t') as t, pg_relation_filepath('t_by_n') as i`,
  );
  await database.close();
  [table, index] = [row?.t ?? '', row?.i ?? ''];
  const wal = (await readdir(join(dir, 'db', 'pglite', 'pg_wal'))).filter((name) =>
    /^[0-9A-F]{24}$/.test(name),
  );
  segment = `pg_wal/${String(wal[0])}`;
});
afterAll(() => remove());

const damages = {
  flipped: async (path: string) => {
    const middle = Math.floor((await stat(path)).size / 2);
    const file = await open(path, 'r+');
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, middle);
    await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, middle);
    await file.close();
  },
  truncated: async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2)),
  zeroed: async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size)),
  gone: async (path: string) => rm(path),
};

const files: [string, () => string][] = [
  ['version', () => 'PG_VERSION'],
  ['control file', () => 'global/pg_control'],
  ['configuration', () => 'postgresql.conf'],
  ['write-ahead log', () => segment],
  ['transaction states', () => 'pg_xact/0000'],
  ['table', () => table],
  ['index', () => index],
];

describe.each(files)('openPglite: its %s', (_name, file) => {
  it.each(Object.entries(damages))('%s is named, with the command that repairs it', async (kind, damage) => {
    const path = join(dir, 'db', 'pglite', file());
    const before = await readFile(path);
    await damage(path);
    const error: unknown = await openPglite(dir, () => undefined).catch((fault: unknown) => fault);
    await writeFile(path, before);
    expect(error).toBeInstanceOf(FolderError);
    expect(String(error)).toContain(
      `The embedded database in ${join(dir, 'db')} is damaged: pglite/${file()} `,
    );
    expect(String(error)).toContain(
      {
        flipped: 'has changed between bytes',
        zeroed: 'has changed between bytes',
        truncated: 'bytes instead of',
        gone: 'is missing',
      }[kind],
    );
    expect(String(error)).toContain(`run: loopwatch repair database --data-dir ${dir}`);
  });
});

/** What opening and reading a copy of the folder says. */
async function read(copy: string): Promise<string> {
  try {
    const database = await openPglite(copy, () => undefined);
    onTestFinished(() => database.close());
    const [row] = await database.query<{ rows: number }>('select count(text) as rows from t');
    return String(row?.rows);
  } catch (error) {
    return String(error);
  }
}

describe('openPglite: after a process was killed', () => {
  it.each([
    ['without damage', undefined, '5000'],
    ['a version that is missing', ['PG_VERSION', 'gone'], 'is damaged'],
    ['a control file of zeros', ['global/pg_control', 'zeroed'], 'is damaged'],
    ['a table that is missing', ['table', 'gone'], 'is damaged'],
    ['a table with another bit', ['table', 'flipped'], 'is damaged'],
    ['checksums that are damaged', ['checksums', 'flipped'], '5000'],
  ] as const)('%s', async (_name, damage, says) => {
    const copy = await tempDir();
    onTestFinished(() => copy.remove());
    await cp(dir, copy.path, { recursive: true });
    const checksums = join(copy.path, 'db', 'checksums');
    if (damage?.[0] === 'checksums') await damages.flipped(checksums);
    else {
      await rm(checksums);
      if (damage !== undefined)
        await damages[damage[1]](join(copy.path, 'db', 'pglite', damage[0] === 'table' ? table : damage[0]));
    }
    const said = await read(copy.path);
    expect(said).toContain(says);
    if (says === 'is damaged') expect(said).toContain(`loopwatch repair database --data-dir ${copy.path}`);
  });
});

it('repairPglite: keeps the damaged files, and the next start has a new database', async () => {
  const copy = await tempDir();
  onTestFinished(() => copy.remove());
  await cp(dir, copy.path, { recursive: true });
  await damages.gone(join(copy.path, 'db', 'pglite', 'PG_VERSION'));
  const damaged = await repairPglite(copy.path);
  expect(damaged).toMatch(/\/damaged\/db-\d{4}-/);
  expect((await stat(join(damaged, 'pglite', 'global', 'pg_control'))).size).toBeGreaterThan(0);
  expect(await read(copy.path)).toContain('relation "t" does not exist');
});
