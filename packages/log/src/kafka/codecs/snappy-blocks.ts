import snappy from 'snappyjs';
import { UnpackedTooLarge } from './unpacked-too-large.ts';

/** Magic bytes of Java's snappy; its version and the oldest compatible version follow, four bytes each. */
const magic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const blocksAt = magic.length + 8;
const LENGTH_BYTES = 4;
/** Yields to the event loop after this many uncompressed bytes. */
const YIELD_BYTES = 1024 * 1024;

/**
 * Decompresses snappy as Kafka's producers write it: Java's and similar clients in length-prefixed blocks of 32 KiB
 * ("xerial"), others as a single block.
 *
 * @throws UnpackedTooLarge beyond `limit` bytes, before decompressing them
 * @throws Error when the bytes are not valid snappy
 */
export async function unpackSnappy(bytes: Buffer, limit: number): Promise<Buffer> {
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    if (unpackedLength(bytes) > limit) throw new UnpackedTooLarge(limit);
    return snappy.uncompress(bytes);
  }
  const blocks: Buffer[] = [];
  let unpacked = 0;
  let yieldAt = YIELD_BYTES;
  for (let at = blocksAt; at < bytes.length; ) {
    if (at + LENGTH_BYTES > bytes.length) throw new Error('it ends inside a block length');
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32BE(start - LENGTH_BYTES);
    if (at > bytes.length) throw new Error('it ends inside a block');
    const block = bytes.subarray(start, at);
    unpacked += unpackedLength(block);
    if (unpacked > limit) throw new UnpackedTooLarge(limit);
    blocks.push(snappy.uncompress(block));
    if (unpacked < yieldAt) continue;
    yieldAt = unpacked + YIELD_BYTES;
    await new Promise(setImmediate);
  }
  return Buffer.concat(blocks);
}

/** The uncompressed length at the start of a block, seven bits per byte. */
function unpackedLength(block: Buffer): number {
  let length = 0;
  for (let i = 0; i < 5; i += 1) {
    const byte = block[i] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) break;
  }
  return length;
}
