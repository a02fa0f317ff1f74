import { detectionSchema } from '@loopwatch/contract';
import type { Database } from '@loopwatch/storage';
import { expect, it } from 'vitest';
import { GuardSettings } from '../../src/guard/guard-settings.ts';

it('guard settings: a read that a change has overtaken does not hide it', async () => {
  const reads: ((version: number) => void)[] = [];
  const query = () =>
    new Promise((resolve) => {
      reads.push((version) => resolve([{ scope: 'session:s-1', set: { version }, updatedBy: null }]));
    });
  const settings = new GuardSettings({ query } as unknown as Database, detectionSchema.parse({}), () => 0);
  const versionOf = async (read: ReturnType<typeof settings.get>) => (await read).overridesOf('s-1').set;

  const before = settings.get();
  expect(settings.get()).toBe(before);
  settings.invalidate();
  const after = settings.get();
  reads[1]?.(2);
  expect(await versionOf(after)).toEqual({ version: 2 });
  reads[0]?.(1);
  await before;
  expect(await versionOf(settings.get())).toEqual({ version: 2 });
  expect(reads).toHaveLength(2);
});
