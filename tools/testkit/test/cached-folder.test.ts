import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempDir } from '../src/index.ts';

it('filling a folder of the cache removes what a killed process left a day ago, not what another one fills', async () => {
  const home = await tempDir();
  onTestFinished(() => home.remove());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv('HOME', home.path);
  vi.resetModules();
  const { cachedFolder, cachePath } = await import('../src/cached-folder.ts');
  const [abandoned, current] = [cachePath('download-a'), cachePath('download-b')];
  for (const folder of [abandoned, current]) await mkdir(folder, { recursive: true });
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
  await utimes(abandoned, twoDaysAgo, twoDaysAgo);
  const filled = await cachedFolder('filled', (folder) => writeFile(join(folder, 'a.txt'), 'a'));
  expect([abandoned, current, join(filled, 'a.txt')].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
  ]);
});
