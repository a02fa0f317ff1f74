import { waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { openEmbeddedLog } from '../../src/index.ts';
import { folder } from './harness.ts';

it('EmbeddedTopicReader: resolves after reading all existing records, then continues with new ones', async () => {
  const log = await openEmbeddedLog({ dir: await folder(), topics: ['control'] });
  onTestFinished(() => log.close());
  const sink = log.sink();
  await sink.open();
  const write = (value: string) => sink.publish([{ topic: 'control', key: 'k', value }]);
  for (const value of ['a', 'b']) await write(value);
  const reader = log.reader('control');
  const read: string[] = [];
  await reader.run(({ records }) => {
    read.push(...records.map(({ value }) => String(value)));
  });
  expect(read).toEqual(['a', 'b']);
  await write('c');
  await waitFor(() => read.length === 3);
  expect(read).toEqual(['a', 'b', 'c']);
  await reader.stop();
});

async function controlLog(...values: string[]) {
  const log = await openEmbeddedLog({ dir: await folder(), topics: ['control'] });
  onTestFinished(() => log.close());
  const sink = log.sink();
  await sink.open();
  const write = (value: string) => sink.publish([{ topic: 'control', key: 'k', value }]);
  for (const value of values) await write(value);
  return { log, write };
}

it.each([
  { from: 1, reads: ['b', 'c'] },
  { from: 3, reads: [] },
  { from: 99, reads: [] },
  { from: -5, reads: ['a', 'b', 'c'] },
])('EmbeddedTopicReader: starts at $from, clamped to the existing offsets', async ({ from, reads }) => {
  const { log, write } = await controlLog('a', 'b', 'c');
  const reader = log.reader('control');
  const read: string[] = [];
  const asked: unknown[] = [];
  await reader.run(({ records }) => void read.push(...records.map(({ value }) => String(value))), {
    from: (topicPartition, bounds) => {
      asked.push(topicPartition, bounds);
      return from;
    },
  });
  expect(asked).toEqual([
    { topic: 'control', partition: 0 },
    { start: 0, end: 3 },
  ]);
  expect(read).toEqual(reads);
  await write('d');
  await waitFor(() => read.length > reads.length);
  expect(read).toEqual([...reads, 'd']);
});

it('EmbeddedTopicReader: waits for the handler before the next batch, and retries a failed batch', async () => {
  const { log, write } = await controlLog('a');
  const reader = log.reader('control');
  const read: string[] = [];
  let failures = 0;
  await reader.run(async ({ records, next, lag, partition }) => {
    if (failures < 2) {
      failures += 1;
      await write(`after failure ${String(failures)}`);
      throw new Error('not now');
    }
    read.push(...records.map(({ value }) => String(value)));
    expect({ partition, next, lag }).toMatchObject({ partition: 0, next: (records.at(-1)?.offset ?? 0) + 1 });
  });
  await waitFor(() => read.length === 3);
  expect(read).toEqual(['a', 'after failure 1', 'after failure 2']);
});

it('EmbeddedTopicReader: resolves at once with `resolveWhen: started`', async () => {
  const { log } = await controlLog('a');
  const reader = log.reader('control');
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await reader.run(() => held, { resolveWhen: 'started' });
  release();
  await reader.stop();
});

it('embedded RecordReader: looks records up by offset', async () => {
  const { log } = await controlLog('a', 'b', 'c');
  const records = log.records();
  const topicPartition = { topic: 'control', partition: 0 };
  expect(await records.bounds(topicPartition)).toEqual({ start: 0, end: 3 });
  const { records: found, next } = await records.read(topicPartition, 1, 1);
  expect(found.map(({ value }) => String(value))).toEqual(['b']);
  expect(next).toBe(2);
  expect(await records.read(topicPartition, 3, 5)).toEqual({ records: [], next: 3 });
});
