import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { compressFrame } from 'lz4-napi';
import snappy from 'snappyjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { canCompress, LogError } from '../../../src/index.ts';
import { MAX_BATCH_BYTES, registerCodecs } from '../../../src/kafka/codecs/codecs.ts';
import { UnpackedTooLarge } from '../../../src/kafka/codecs/unpacked-too-large.ts';

const { CompressionCodecs, CompressionTypes } = kafkajs;

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

beforeAll(() => {
  registerCodecs();
});

const codecOf = (type: number): Codec => {
  const create = (CompressionCodecs as unknown as Record<number, () => Codec>)[type];
  if (create === undefined) throw new Error(`no codec ${type}`);
  return create();
};

const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array));
const repetitive = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(2_000))
  .map(([piece, times]) => Buffer.concat(Array.from({ length: times }, () => piece)));

/** As Java's snappy writes: magic, version, oldest version, then blocks with their lengths. */
function xerial(blocks: readonly Buffer[]): Buffer {
  const framed = blocks.flatMap((block) => {
    const packed = snappy.compress(block);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(packed.length);
    return [length, packed];
  });
  return Buffer.concat([Buffer.from('82534e41505059000000000100000001', 'hex'), ...framed]);
}

describe('the codecs', () => {
  it.each([
    { name: 'gzip', type: CompressionTypes.GZIP },
    { name: 'snappy', type: CompressionTypes.Snappy },
    { name: 'lz4', type: CompressionTypes.LZ4 },
  ])('decompress their own output: $name', async ({ type }) => {
    const codec = codecOf(type);
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, repetitive), async (buffer) => {
        expect((await codec.decompress(await codec.compress({ buffer }))).equals(buffer)).toBe(true);
      }),
    );
  });

  it('decompress snappy in blocks, as written by Java', async () => {
    const codec = codecOf(CompressionTypes.Snappy);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(bytes, repetitive), { maxLength: 6 }), async (blocks) => {
        const unpacked = await codec.decompress(xerial(blocks));
        expect(unpacked.equals(Buffer.concat(blocks))).toBe(true);
      }),
    );
  });

  it('decompress zstd, and compress it where Node can', async () => {
    const codec = codecOf(CompressionTypes.ZSTD);
    // Made by the command `zstd`.
    const packed = Buffer.from(
      '28b52ffd0458cd00009861206c6f6f702c2020616e6420616e20656e640100130b17fc9215e6',
      'hex',
    );
    const unpacked = await codec.decompress(packed);
    expect(unpacked.toString()).toBe('a loop, a loop, a loop, a loop, a loop and an end');
    const repacked = codec.compress({ buffer: unpacked });
    if (canCompress('zstd')) expect(await codec.decompress(await repacked)).toEqual(unpacked);
    else await expect(repacked).rejects.toThrow('requires Node 22.15');
  });

  /** Frames of blocks that repeat one byte 128 KiB long, in four bytes each. */
  const zstdBomb = (blocks: number, windowLog: number) => {
    const block = (last: number) => {
      const head = Buffer.alloc(4, 'x');
      head.writeUIntLE((131_072 << 3) | (1 << 1) | last, 0, 3);
      return head;
    };
    const all = Array.from({ length: blocks }, (_, i) => block(i === blocks - 1 ? 1 : 0));
    return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]), ...all]);
  };
  const zeros = Buffer.alloc(MAX_BATCH_BYTES + 1);
  it.each([
    { name: 'gzip', type: CompressionTypes.GZIP, packed: () => gzipSync(zeros) },
    { name: 'snappy as a single block', type: CompressionTypes.Snappy, packed: () => snappy.compress(zeros) },
    {
      name: 'snappy in blocks',
      type: CompressionTypes.Snappy,
      packed: () => xerial(Array.from({ length: 65 }, () => zeros.subarray(0, 1024 * 1024))),
    },
    { name: 'lz4', type: CompressionTypes.LZ4, packed: () => compressFrame(zeros) },
    { name: 'zstd', type: CompressionTypes.ZSTD, packed: () => zstdBomb(100_000, 20) },
    {
      name: 'zstd with a window that is too large',
      type: CompressionTypes.ZSTD,
      packed: () => zstdBomb(2, 27),
    },
  ])('stop at the size limit: $name', async ({ type, packed }) => {
    const failure: unknown = await codecOf(type)
      .decompress(await packed())
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnpackedTooLarge);
    expect(String(failure)).toContain('unpacks to more than 67,108,864 bytes');
  });

  it('decompress zstd of many blocks', async () => {
    const unpacked = await codecOf(CompressionTypes.ZSTD).decompress(zstdBomb(300, 20));
    expect(unpacked.equals(Buffer.alloc(300 * 131_072, 'x'))).toBe(true);
  });

  const whole = Buffer.from('a text that repeats itself, a text that repeats itself');
  it.each([
    { name: 'gzip', type: CompressionTypes.GZIP, damage: (packed: Buffer) => packed.subarray(0, -6) },
    { name: 'snappy', type: CompressionTypes.Snappy, damage: () => Buffer.from('nonsense') },
    {
      name: 'snappy',
      type: CompressionTypes.Snappy,
      damage: () => xerial([whole]).subarray(0, -1),
      says: 'it ends inside a block',
    },
    {
      name: 'snappy',
      type: CompressionTypes.Snappy,
      damage: () => xerial([whole]).subarray(0, 18),
      says: 'it ends inside a block length',
    },
    { name: 'lz4', type: CompressionTypes.LZ4, damage: () => Buffer.from('nonsense') },
    { name: 'zstd', type: CompressionTypes.ZSTD, damage: () => Buffer.from('nonsense') },
  ])('name the codec when the bytes are damaged: $name', async ({ name, type, damage, says = '' }) => {
    const codec = codecOf(type);
    const packed = name === 'zstd' ? whole : await codec.compress({ buffer: whole });
    const failure: unknown = await codec.decompress(damage(packed)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LogError);
    expect(String(failure)).toContain(`data compressed with ${name} is damaged (${says}`);
  });
});
