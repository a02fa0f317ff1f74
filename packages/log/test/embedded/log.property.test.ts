import { tempDir } from '@loopwatch/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EmbeddedLog, type LogRecord, type OutputRecord, openEmbeddedLog } from '../../src/index.ts';

const topics = ['a', 'b'];

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const data = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed()),
    bytes,
  ),
);
const record = fc.record(
  {
    topic: fc.constantFrom(...topics),
    key: data,
    value: data,
    timestamp: fc.nat(),
    headers: fc.dictionary(fc.string({ maxLength: 10 }), bytes, { maxKeys: 3 }),
  },
  { requiredKeys: ['topic', 'key', 'value', 'timestamp'] },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(record, { maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constant('reopen' as const) },
);

const hex = (value: Uint8Array | string | null) =>
  value === null ? null : Buffer.from(value).toString('hex');

function comparable({ key, value, timestamp, headers = {} }: LogRecord | OutputRecord) {
  const entries = Object.entries(headers).map(([name, header]) => [name, hex(header)]);
  return { key: hex(key), value: hex(value), timestamp, headers: entries };
}

async function all(log: EmbeddedLog, topic: string) {
  const records = await log.read(topic, 0, Number.MAX_SAFE_INTEGER);
  expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index));
  return records.map(comparable);
}

it('EmbeddedLog: reads back any sequence of appends and reopenings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await using dir = await tempDir();
      const open = async () => {
        const log = await openEmbeddedLog({ dir: dir.path, topics });
        const sink = log.sink();
        await sink.open();
        return { log, sink };
      };
      const written = new Map<string, ReturnType<typeof comparable>[]>(topics.map((topic) => [topic, []]));
      let { log, sink } = await open();
      try {
        for (const action of [...steps, 'reopen' as const]) {
          if (action === 'reopen') {
            await log.close();
            ({ log, sink } = await open());
          } else {
            await sink.publish(action);
            for (const output of action) written.get(output.topic)?.push(comparable(output));
          }
          for (const topic of topics) expect(await all(log, topic)).toEqual(written.get(topic));
        }
      } finally {
        await log.close();
      }
    }),
    { numRuns: 40 },
  );
});
