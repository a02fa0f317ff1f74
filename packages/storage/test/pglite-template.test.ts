import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { extractPgliteTemplate, writeTemplate } from '../src/pglite-template.ts';

let dir = '';
let template = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'loopwatch-template-'));
  template = join(dir, 'template.tar.gz');
  const database = join(dir, 'database');
  await mkdir(join(database, 'empty'), { recursive: true });
  await writeFile(join(database, 'PG_VERSION'), '18');
  await mkdir(join(database, 'base', '1'), { recursive: true });
  await writeFile(join(database, 'base', '1', '2601'), new Uint8Array([0, 255, 10]));
  await writeFile(join(database, 'base', '1', '1234'), '');
  await writeTemplate(database, template);
  await rm(database, { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('extractPgliteTemplate: fills a new folder, including empty folders, private to the owner', async () => {
  await mkdir(join(dir, 'db'));
  await extractPgliteTemplate(join(dir, 'db'), template);
  expect((await readdir(join(dir, 'db'), { recursive: true })).sort()).toEqual(
    ['PG_VERSION', 'base', 'base/1', 'base/1/1234', 'base/1/2601', 'empty'].toSorted(),
  );
  expect([...(await readFile(join(dir, 'db/base/1/2601')))]).toEqual([0, 255, 10]);
  expect(await readFile(join(dir, 'db/base/1/1234'), 'utf8')).toBe('');
  const modes = ['.', 'empty', 'PG_VERSION'].map(
    async (path) => (await stat(join(dir, 'db', path))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
});

test('extractPgliteTemplate: an interrupted extraction is restarted', async () => {
  await mkdir(join(dir, 'db.new'));
  await writeFile(join(dir, 'db.new', 'half'), '');
  await extractPgliteTemplate(join(dir, 'db'), template);
  expect((await readdir(dir)).sort()).toEqual(['db', 'template.tar.gz']);
  expect(await readdir(join(dir, 'db'))).not.toContain('half');
});

test('extractPgliteTemplate: an existing database is left unchanged', async () => {
  await mkdir(join(dir, 'db'));
  await writeFile(join(dir, 'db', 'PG_VERSION'), '17');
  await extractPgliteTemplate(join(dir, 'db'), template);
  expect(await readFile(join(dir, 'db', 'PG_VERSION'), 'utf8')).toBe('17');
});

test('extractPgliteTemplate: does nothing without a template', async () => {
  await extractPgliteTemplate(join(dir, 'db'), join(dir, 'none'));
  expect(await readdir(dir)).toEqual(['template.tar.gz']);
});
