import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { checkDataFolder } from '../../src/commands/doctor-data-folder.ts';

it('doctor: checks a missing data folder without leaving one behind', async () => {
  await using dir = await tempDir();
  const missing = join(dir.path, 'a/b');
  expect(await checkDataFolder(missing)).toEqual({ ok: true, what: `data folder ${missing} can be created` });
  expect(readdirSync(dir.path)).toEqual([]);
  expect(await checkDataFolder(dir.path)).toEqual({
    ok: true,
    what: `data folder ${dir.path} can be written`,
  });
  expect(existsSync(dir.path)).toBe(true);
});

it('doctor: reports a data folder that cannot be created', async () => {
  expect(await checkDataFolder('/dev/null/data')).toMatchObject({
    ok: false,
    advice: expect.stringContaining('--set storage.data_dir=') as string,
  });
});
