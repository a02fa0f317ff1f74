import snappy from 'snappyjs';

/** What Java's snappy begins with; its version and the oldest that can read it follow, four bytes each. */
const magic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const blocksAt = magic.length + 8;
const lengthBytes = 4;

/**
 * Unpacks snappy as Kafka's producers write it: Java's and those after its model in blocks of 32 KiB, each with its length
 * before it ("xerial"), others as one piece.
 *
 * @throws Error when the bytes are not that
 */
export function unpackSnappy(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, magic.length).equals(magic)) return snappy.uncompress(bytes);
  const blocks: Buffer[] = [];
  for (let at = blocksAt; at < bytes.length; ) {
    if (at + lengthBytes > bytes.length) throw new Error('it ends within the length of a block');
    const start = at + lengthBytes;
    at = start + bytes.readUInt32BE(start - lengthBytes);
    if (at > bytes.length) throw new Error('it ends within a block');
    blocks.push(snappy.uncompress(bytes.subarray(start, at)));
  }
  return Buffer.concat(blocks);
}
