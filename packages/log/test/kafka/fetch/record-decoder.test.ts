import { createRequire } from 'node:module';
import crc32c from 'crc-32/crc32c.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerCodecs } from '../../../src/kafka/codecs/codecs.ts';
import { RecordDecoder } from '../../../src/kafka/fetch/record-decoder.ts';
import { LogError } from '../../../src/port/errors.ts';

// kafkajs' own encoder: what it writes, brokers take.
const require = createRequire(import.meta.url);
interface Encoded {
  readonly buffer: Buffer;
}
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  readonly RecordBatch: (batch: object) => Promise<Encoded>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (
  record: object,
) => Encoded;

interface Written {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, Buffer>>;
  /** After the batch's first, ms. */
  readonly later?: number;
}

interface BatchOptions {
  readonly firstOffset?: number;
  readonly firstTimestamp?: number;
  readonly producerId?: number;
  readonly transactional?: boolean;
  readonly control?: boolean;
  readonly compression?: number;
  readonly appendTime?: boolean;
}

const zero = Buffer.alloc(0);
const CONTROL_FLAG = 0x20;
const APPEND_TIME_FLAG = 0x08;
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;

async function batch(written: readonly Written[], options: BatchOptions = {}): Promise<Buffer> {
  const { firstOffset = 0, firstTimestamp = 1_763_757_600_000, producerId = 7 } = options;
  const records = written.map(({ key, value, headers = {}, later = 0 }, i) =>
    encodeRecord({ offsetDelta: i, timestampDelta: later, key, value, headers }),
  );
  const { buffer } = await RecordBatch({
    firstOffset,
    firstTimestamp,
    maxTimestamp: firstTimestamp + 5,
    producerId,
    records,
    lastOffsetDelta: written.length - 1,
    compression: options.compression ?? 0,
    transactional: options.transactional ?? false,
    producerEpoch: 0,
    firstSequence: 0,
  });
  const bytes = Buffer.from(buffer);
  const flags =
    (options.control === true ? CONTROL_FLAG : 0) | (options.appendTime === true ? APPEND_TIME_FLAG : 0);
  bytes.writeInt16BE(bytes.readInt16BE(ATTRIBUTES_AT) | flags, ATTRIBUTES_AT);
  return sealed(bytes);
}

/** With the checksum of what it contains. */
function sealed(bytes: Buffer): Buffer {
  bytes.writeInt32BE(crc32c.buf(bytes.subarray(ATTRIBUTES_AT)), CHECKSUM_AT);
  return bytes;
}

const text = (value: string): Written => ({ key: Buffer.from('k'), value: Buffer.from(value) });
/** The marker that ends a transaction. */
const marker = (commit: boolean): Written => ({
  key: Buffer.from([0, 0, 0, commit ? 1 : 0]),
  value: Buffer.alloc(6),
});
const decode = (bytes: Buffer, from = 0, aborted: { producerId: bigint; firstOffset: number }[] = []) =>
  new RecordDecoder(bytes, from, aborted, 'events/3').take();
const values = ({ records }: Awaited<ReturnType<typeof decode>>) =>
  records.map(({ offset, value }) => `${offset}:${String(value)}`);

/** One transaction that is given up beside one that is not, and what comes after them. */
async function transactions(): Promise<Buffer> {
  const parts = await Promise.all([
    batch([text('good')], { firstOffset: 0 }),
    batch([text('lost')], { firstOffset: 1, producerId: 1, transactional: true }),
    batch([text('kept')], { firstOffset: 2, producerId: 2, transactional: true }),
    batch([text('plain')], { firstOffset: 3, producerId: 1 }),
    batch([marker(false)], { firstOffset: 4, producerId: 1, transactional: true, control: true }),
    batch([marker(true)], { firstOffset: 5, producerId: 2, transactional: true, control: true }),
    batch([text('next')], { firstOffset: 6, producerId: 1, transactional: true }),
    batch([marker(true)], { firstOffset: 7, producerId: 1, transactional: true, control: true }),
  ]);
  return Buffer.concat(parts);
}

const bytesOrNull = fc.option(
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  { nil: null },
);
const written: fc.Arbitrary<Written> = fc.record({
  key: bytesOrNull,
  value: bytesOrNull,
  headers: fc.dictionary(
    fc.string({ maxLength: 8 }),
    fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array)),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
  later: fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -(2 ** 41), max: 2 ** 41 })),
});

describe('RecordDecoder', () => {
  it('leaves out a byte order mark in the text, and keeps it in the bytes', async () => {
    const value = Buffer.from('\ufeff{}');
    const { records } = await decode(await batch([{ key: null, value }]), 0);
    expect(records.map(({ text, value: bytes }) => [text, bytes])).toEqual([['{}', value]]);
  });

  it('decodes any written records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { minLength: 1, maxLength: 8 }),
        fc.nat(2 ** 40),
        fc.constantFrom(0, 1),
        async (all, firstOffset, compression) => {
          const bytes = await batch(all, { firstOffset, compression });
          const { records, next } = await decode(bytes, firstOffset);
          expect(next).toBe(firstOffset + all.length);
          expect(records.map(({ offset }) => offset)).toEqual(all.map((_, i) => firstOffset + i));
          records.forEach(({ key, value, headers, timestamp }, i) => {
            const { later = 0, ...expected } = all[i]!;
            expect({ key, value, headers }).toEqual(expected);
            expect(timestamp).toBe(1_763_757_600_000 + later);
          });
        },
      ),
    );
  });

  it.each([2, 3, 4])(
    'decodes only complete batches, wherever the bytes are cut off (%i batches)',
    async (count) => {
      const batches = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          batch([text(`a${i}`), text(`b${i}`)], { firstOffset: i * 2 }),
        ),
      );
      const bytes = Buffer.concat(batches);
      const one = batches[0]!.length;
      for (let length = 0; length <= bytes.length; length += 1) {
        const { records, next } = await decode(bytes.subarray(0, length));
        const whole = Math.floor(length / one);
        expect([records.length, next]).toEqual([whole * 2, whole * 2]);
      }
    },
  );

  it('starts in the middle of a batch', async () => {
    const bytes = await batch([text('a'), text('b'), text('c')], { firstOffset: 10 });
    expect(values(await decode(bytes, 12))).toEqual(['12:c']);
    expect(await decode(bytes, 13)).toEqual({ records: [], next: 13 });
  });

  it('skips markers and aborted transactions, and continues after them', async () => {
    const decoded = await decode(await transactions(), 0, [{ producerId: 1n, firstOffset: 1 }]);
    expect(values(decoded)).toEqual(['0:good', '2:kept', '3:plain', '6:next']);
    expect(decoded.next).toBe(8);
  });

  it.each([1, 150, 400, 10_000])('returns the same records in pieces of %i bytes', async (enough) => {
    const bytes = await transactions();
    const decoder = new RecordDecoder(bytes, 0, [{ producerId: 1n, firstOffset: 1 }], 'events/3');
    expect([decoder.next, decoder.left]).toEqual([8, bytes.length]);
    const pieces: string[][] = [];
    const nexts: number[] = [];
    while (decoder.left > 0) {
      const piece = await decoder.take(enough);
      pieces.push(values(piece));
      nexts.push(piece.next);
    }
    expect(pieces.flat()).toEqual(['0:good', '2:kept', '3:plain', '6:next']);
    if (enough === 1) expect(nexts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(nexts.at(-1)).toBe(8);
  });

  it('uses the append time of the broker if the topic is configured so', async () => {
    const bytes = await batch([{ ...text('a'), later: -50 }], { appendTime: true, firstTimestamp: 1000 });
    expect((await decode(bytes)).records[0]?.timestamp).toBe(1005);
  });

  it('decodes compressed batches', async () => {
    registerCodecs();
    for (const compression of [1, 2, 3]) {
      const many = Array.from({ length: 500 }, (_, i) => text(`a text that repeats itself ${i % 7}`));
      const bytes = await batch(many, { compression });
      expect((await decode(bytes)).records.map(({ value }) => String(value))).toEqual(
        many.map(({ value }) => String(value)),
      );
    }
  });

  it.each<[string, (bytes: Buffer) => void, RegExp]>([
    ['an old format', (bytes) => bytes.writeInt8(1, 16), /format is version 1, older/],
    [
      'an unknown format',
      (bytes) => bytes.writeInt8(9, 16),
      /format is version 9, which Kafka does not have/,
    ],
    [
      'an unknown compression',
      (bytes) => {
        bytes.writeInt16BE(6, ATTRIBUTES_AT);
        sealed(bytes);
      },
      /compression 6 is unknown/,
    ],
    [
      'broken compressed bytes',
      (bytes) => {
        bytes.writeInt16BE(1, ATTRIBUTES_AT);
        sealed(bytes);
      },
      /compressed with gzip is damaged/,
    ],
    [
      'records that reach beyond it',
      (bytes) => {
        bytes.writeInt8(100, 61);
        sealed(bytes);
      },
      /reaches beyond its batch/,
    ],
    [
      'one bit of a value changed',
      (bytes) => bytes.writeUInt8((bytes.at(-2) ?? 0) ^ 1, bytes.length - 2),
      /checksum is wrong, .* on the disk of the broker/,
    ],
    ['another checksum', (bytes) => bytes.writeInt32BE(0, CHECKSUM_AT), /checksum is wrong/],
  ])('returns one rejected record for a batch with %s, and continues after it', async (_, spoil, message) => {
    registerCodecs();
    const bytes = await batch([text('a')], { firstOffset: 42 });
    spoil(bytes);
    const { records, next } = await decode(
      Buffer.concat([bytes, await batch([text('b')], { firstOffset: 43 })]),
      42,
    );
    expect(next).toBe(44);
    expect(records.map(({ offset }) => offset)).toEqual([42, 43]);
    expect(records[0]?.rejection).toMatchObject({
      reason: 'unreadable_batch',
      message: expect.stringMatching(message),
    });
    expect(records[0]?.value?.equals(bytes)).toBe(true);
    expect(records[1]?.rejection).toBeUndefined();
  });

  it('returns one rejected record with the offsets for a batch that exceeds the size limit', async () => {
    registerCodecs();
    const zeros = { key: null, value: Buffer.alloc(70 * 1024 * 1024) };
    const bytes = await batch([zeros, text('a')], { firstOffset: 7, compression: 1 });
    const { records, next } = await decode(bytes, 8);
    expect([records.length, next]).toEqual([1, 9]);
    expect(records[0]).toMatchObject({ offset: 8, rejection: { reason: 'batch_too_large', lastOffset: 8 } });
  });

  it('decompresses batches one at a time, and returns a batch in pieces', async () => {
    registerCodecs();
    const mib = 1024 * 1024;
    const zeros = { key: null, value: Buffer.alloc(mib) };
    const batches = [0, 4].map((firstOffset) =>
      batch([zeros, zeros, zeros, zeros], { firstOffset, compression: 1 }),
    );
    const decoder = new RecordDecoder(Buffer.concat(await Promise.all(batches)), 0, [], 'events/3');
    const pieces: number[][] = [];
    while (decoder.left > 0) pieces.push((await decoder.take(2 * mib)).records.map(({ offset }) => offset));
    expect(pieces).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ]);
  });

  it('reports the offset of a batch with an invalid length, and cannot continue', async () => {
    const bytes = await batch([text('a')], { firstOffset: 42 });
    bytes.writeInt32BE(-70, 8);
    const whole = Buffer.concat([await batch([text('b')], { firstOffset: 41 }), bytes]);
    const decoder = new RecordDecoder(whole, 41, [], 'events/3');
    expect(values(await decoder.take())).toEqual(['41:b']);
    const failure = await decoder.take().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LogError);
    expect(String(failure)).toMatch(/events\/3@42 cannot be read: its length is invalid/);
  });

  it('terminates for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.nat(3), async (noise, length) => {
        const bytes = await batch([text('a'), text('b')]);
        Buffer.concat([zero, Buffer.from(noise)]).copy(bytes, 57 + length);
        sealed(bytes);
        await decode(bytes).then(
          ({ records }) => {
            for (const record of records) {
              try {
                expect([record.key, record.value, record.headers]).toHaveLength(3);
              } catch (error) {
                expect(error).toBeInstanceOf(RangeError);
              }
            }
          },
          (error: unknown) => {
            expect(error).toBeInstanceOf(LogError);
          },
        );
      }),
    );
  });
});
