import fc from 'fast-check';
import { compressFrame } from 'lz4-napi';
import { describe, expect, it } from 'vitest';
import { lz4Size } from '../../../src/kafka/codecs/lz4-size.ts';

const piece = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.integer({ min: 1, max: 3_000 }));
const texts = fc
  .array(piece, { maxLength: 5 })
  .map((pieces) =>
    Buffer.concat(pieces.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))),
  );

describe('lz4Size', () => {
  it('is the uncompressed size of the frames', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (bytes) => {
        expect(lz4Size(await compressFrame(bytes), Infinity)).toBe(bytes.length);
      }),
      { numRuns: 100 },
    );
  });

  it('stops counting soon after the limit', async () => {
    const packed = await compressFrame(Buffer.alloc(50_000_000));
    expect(lz4Size(packed, 1_000_000)).toBeGreaterThan(1_000_000);
  });

  it('terminates for any bytes', () => {
    const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (noise) => {
        expect(lz4Size(Buffer.concat([head, noise]), 1e9)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
