import kafkajs, { type Message } from 'kafkajs';
import type { Random } from '../chaos/random.ts';
import { heavyRecords, mixedRecord } from './hostile-records.ts';
import type { Pace } from './pace.ts';

const { CompressionTypes } = kafkajs;
const BATCH_RECORDS = 100;
const compressions = [
  CompressionTypes.None,
  CompressionTypes.GZIP,
  CompressionTypes.Snappy,
  CompressionTypes.LZ4,
];
/** Number of records between two heavy ones. */
const HEAVY_EVERY = 5_000;

/** Writes mixed records at the given pace, with heavy ones in between. @returns the number that brokers accepted */
export async function writeToKafka(
  brokers: readonly string[],
  topic: string,
  count: number,
  random: Random,
  pace: Pace,
): Promise<number> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.ERROR });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  let written = 0;
  const send = async (messages: Message[], compression: kafkajs.CompressionTypes) => {
    await producer.send({ topic, compression, messages });
    written += messages.length;
  };
  try {
    for (let sent = 0, heavy = 0; sent < count; sent += BATCH_RECORDS) {
      await pace.reach(sent / count);
      const size = Math.min(BATCH_RECORDS, count - sent);
      const messages = Array.from({ length: size }, (_, i) => mixedRecord(sent + i, random));
      await send(messages, random.pick(compressions));
      if (sent / HEAVY_EVERY < heavy) continue;
      const make = heavyRecords[heavy % heavyRecords.length];
      heavy += 1;
      if (make !== undefined)
        await send([make()], heavy % 2 === 0 ? CompressionTypes.LZ4 : CompressionTypes.GZIP);
    }
  } finally {
    await producer.disconnect();
  }
  return written;
}
