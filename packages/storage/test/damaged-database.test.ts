import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderError } from '@loopwatch/platform';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { openPglite } from '../src/pglite-database.ts';

it('openPglite: a damaged database is reported with how to rebuild it', async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, 'db', 'pglite');
  await mkdir(join(folder, 'global'), { recursive: true });
  await writeFile(join(folder, 'PG_VERSION'), '15\n');
  await writeFile(join(folder, 'global', 'pg_control'), Buffer.alloc(8_192));
  const error: unknown = await openPglite(dir.path, () => undefined).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(FolderError);
  expect(String(error)).toContain('move the folder away: the database is rebuilt from the log');
});
