import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFolder } from '../src/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'loopwatch-folder-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('createFolder: creates a folder with its parents for the owner alone, and leaves one that is there', async () => {
  const folder = join(dir, 'a', 'b', 'c');
  await createFolder(folder);
  await Promise.all([createFolder(folder), createFolder(join(folder, 'd')), createFolder(join(folder, 'd'))]);
  for (const path of ['a', 'a/b', 'a/b/c', 'a/b/c/d'])
    expect(statSync(join(dir, path)).mode & 0o777).toBe(process.platform === 'win32' ? 0o777 : 0o700);
});

const file = join(dir, 'file');
writeFileSync(file, '');

it.each([
  [
    'takes no entries',
    '/proc/loopwatch/log',
    /^Cannot create \/proc\/loopwatch\/log: E[A-Z]+: .*\. Check that/,
  ],
  ['is a file', file, /EEXIST/],
  ['is below a file', join(file, 'log'), /ENOTDIR|EEXIST/],
  ['has too long a name', join(dir, 'x'.repeat(300), 'log'), /ENAMETOOLONG/],
])('createFolder: says at once why a folder cannot be created that %s', async (_, path, why) => {
  await expect(createFolder(path)).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringMatching(why) as string,
  });
});
