import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import type { FetchedPartition } from '../../../src/kafka/fetch/fetch-request.ts';
import { PartitionStream } from '../../../src/kafka/fetch/partition-stream.ts';

const require = createRequire(import.meta.url);
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  readonly RecordBatch: (batch: object) => Promise<{ readonly buffer: Buffer }>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (
  record: object,
) => unknown;

const KIB = 1024;

/** An answer with one record of so many bytes in each batch. */
async function answer(firstOffset: number, ...sizes: readonly number[]): Promise<FetchedPartition> {
  const batches = sizes.map(async (size, i) => {
    const record = encodeRecord({
      offsetDelta: 0,
      timestampDelta: 0,
      value: Buffer.alloc(size),
      headers: {},
    });
    const options = { firstOffset: firstOffset + i, lastOffsetDelta: 0, records: [record] };
    return Buffer.from((await RecordBatch(options)).buffer);
  });
  const bytes = Buffer.concat(await Promise.all(batches));
  return {
    topic: 'events',
    partition: 0,
    errorCode: 0,
    highWatermark: 100,
    lastStableOffset: 100,
    abortedTransactions: [],
    bytes,
  };
}

function open(maxBytes = 4 * KIB * KIB) {
  let wanted = 0;
  const stream = new PartitionStream('events', 0, 7, {
    wanted: () => {
      wanted += 1;
    },
    closed: () => undefined,
    maxBytes: () => maxBytes,
  });
  const offsets = async () => {
    const fetched = await stream.next();
    return fetched && [fetched.records.map(({ offset }) => offset), fetched.next, fetched.lag];
  };
  return { stream, offsets, wanted: () => wanted };
}

it('PartitionStream: returns a large answer in pieces, and knows the next fetch offset at once', async () => {
  const { stream, offsets } = open();
  stream.deliver(await answer(7, 700 * KIB, 700 * KIB, 100 * KIB));
  expect(stream.offset).toBe(10);
  expect(await offsets()).toEqual([[7, 8], 9, 91]);
  expect(await offsets()).toEqual([[9], 10, 90]);
});

it('PartitionStream: fetches more before all records have been returned', async () => {
  const { stream, offsets, wanted } = open(2 * KIB * KIB);
  expect(stream.isWanted).toBe(true);
  stream.deliver(await answer(7, 1024 * KIB, 900 * KIB));
  expect(stream.isWanted).toBe(false);
  await offsets();
  expect([stream.isWanted, wanted()]).toEqual([true, 1]);
});

it('PartitionStream: limits how many small answers it fetches ahead', async () => {
  const { stream, offsets } = open();
  stream.deliver(await answer(7, 10));
  expect(stream.isWanted).toBe(true);
  stream.deliver(await answer(8, 10));
  expect(stream.isWanted).toBe(false);
  expect([await offsets(), await offsets()]).toEqual([
    [[7], 8, 92],
    [[8], 9, 91],
  ]);
});

it('PartitionStream: fetches again after a response without a complete batch', async () => {
  const { stream } = open();
  const whole = await answer(7, 1000);
  stream.deliver({ ...whole, bytes: whole.bytes.subarray(0, 500) });
  expect([stream.isWanted, stream.offset]).toEqual([true, 7]);
});

it('PartitionStream: ends a pending `next` when closed, and accepts no more records', async () => {
  const { stream, offsets } = open();
  const waiting = offsets();
  stream.close();
  expect(await waiting).toBeUndefined();
  expect([stream.isWanted, await offsets()]).toEqual([false, undefined]);
});
