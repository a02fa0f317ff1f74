import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyPgliteTemplate } from '../src/pglite-template.ts';

let dir = '';
let template = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'loopwatch-template-'));
  template = join(dir, 'template');
  await mkdir(join(template, 'empty'), { recursive: true });
  await writeFile(join(template, 'PG_VERSION'), '18');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('copyPgliteTemplate: a new folder gets a copy, including empty folders, private to the owner', async () => {
  await mkdir(join(dir, 'db'));
  await copyPgliteTemplate(join(dir, 'db'), template);
  expect((await readdir(join(dir, 'db'))).sort()).toEqual(['PG_VERSION', 'empty']);
  const modes = ['.', 'empty', 'PG_VERSION'].map(
    async (path) => (await stat(join(dir, 'db', path))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
});

test('copyPgliteTemplate: an interrupted copy is restarted', async () => {
  await mkdir(join(dir, 'db.new'));
  await writeFile(join(dir, 'db.new', 'half'), '');
  await copyPgliteTemplate(join(dir, 'db'), template);
  expect((await readdir(dir)).sort()).toEqual(['db', 'template']);
  expect(await readdir(join(dir, 'db'))).not.toContain('half');
});

test('copyPgliteTemplate: an existing database is left unchanged', async () => {
  await mkdir(join(dir, 'db'));
  await writeFile(join(dir, 'db', 'PG_VERSION'), '17');
  await copyPgliteTemplate(join(dir, 'db'), template);
  expect(await readFile(join(dir, 'db', 'PG_VERSION'), 'utf8')).toBe('17');
});

test('copyPgliteTemplate: copies nothing without a template', async () => {
  await copyPgliteTemplate(join(dir, 'db'), join(dir, 'none'));
  expect(await readdir(dir)).toEqual(['template']);
});
