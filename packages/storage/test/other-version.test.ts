import { tempDir } from '@loopwatch/testkit';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../src/open-database.ts';
import { repairPglite } from '../src/pglite-database.ts';

it.each([
  [
    'an earlier version',
    "update migrations set checksum = 'other' where number = 1",
    /Migration 1 \(schema\) differs/,
  ],
  [
    'a later version',
    "insert into migrations values (9999, 'later', 'c')",
    /migration 9999 \(later\), .* newer/,
  ],
])(
  'openDatabase: refuses a database of %s with the command that builds it again',
  async (_, change, says) => {
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    const settings = { database_url: undefined, data_dir: dir.path };
    const logger = pino({ level: 'silent' });
    const database = await openDatabase(settings, logger);
    await database.query(change);
    await database.close();
    const refusal: unknown = await openDatabase(settings, logger).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'FolderError', message: expect.stringMatching(says) });
    expect(String(refusal)).toContain(`from the log: loopwatch repair database --data-dir ${dir.path}`);
    await repairPglite(dir.path);
    const again = await openDatabase(settings, logger);
    expect(await again.query('select number from migrations where number = 1')).toHaveLength(1);
    await again.close();
  },
);
