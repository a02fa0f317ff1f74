import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type { OutputRecord, RecordSink } from '@loopwatch/log';

const require = createRequire(import.meta.url);
/** kafkajs' own encoders, which it does not export. */
const { Record: encodeRecord } = {
  Record: require('kafkajs/src/protocol/recordBatch/record/v0') as (fields: object) => unknown,
};
const { RecordBatch: encodeBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  readonly RecordBatch: (fields: object) => Promise<{ readonly buffer: Buffer }>;
};

/** How long a nearby broker takes to acknowledge a write. */
const ACKNOWLEDGED_MS = 2;

/** A log that simulates the cost of writing to Kafka, except for the connection: it encodes the records, and waits. */
export const encodingSink: RecordSink = {
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
  async publish(records) {
    await encodeBatch({ records: records.map(encoded), lastOffsetDelta: records.length - 1 });
    await setTimeout(ACKNOWLEDGED_MS);
  },
};

function encoded({ key, value, headers }: OutputRecord, offsetDelta: number): unknown {
  return encodeRecord({ offsetDelta, timestampDelta: 0, key, value, headers: headers ?? {} });
}
