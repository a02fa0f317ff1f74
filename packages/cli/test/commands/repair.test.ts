import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { repairCommand } from '../../src/commands/repair.ts';

const repair = (part: string, dir: string) =>
  repairCommand().parseAsync([part, '--data-dir', dir], { from: 'user' });

describe.each([
  ['log', 'log'],
  ['database', 'db'],
])('repair %s', (part, folder) => {
  it(`${part}: refuses a folder that does not exist, and creates nothing`, async () => {
    await using dir = await tempDir();
    const missing = join(dir.path, 'mistyped');
    await expect(repair(part, missing)).rejects.toMatchObject({
      message: `No such data folder: ${missing}`,
      exitCode: 2,
    });
    expect(await readdir(dir.path)).toEqual([]);
  });

  it(`${part}: refuses a folder without its files, and leaves it as it is`, async () => {
    await using dir = await tempDir();
    await writeFile(join(dir.path, 'notes.txt'), '');
    const refusal = {
      message: `No embedded ${part} in the data folder ${dir.path}: ${join(dir.path, folder)} is missing or empty`,
      exitCode: 2,
    };
    await expect(repair(part, dir.path)).rejects.toMatchObject(refusal);
    expect(await readdir(dir.path)).toEqual(['notes.txt']);
    await mkdir(join(dir.path, folder));
    await expect(repair(part, dir.path)).rejects.toMatchObject(refusal);
    expect(await readdir(join(dir.path, folder))).toEqual([]);
  });
});
