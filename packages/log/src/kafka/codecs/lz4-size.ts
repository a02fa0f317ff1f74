const MAGIC = 0x184d2204;
const SKIPPABLE = 0x184d2a50;
const HEAD_BYTES = 7;
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const CONTENT_CHECKSUM = 0x04;
const DICTIONARY_ID = 0x01;
const IS_STORED = 0x80000000;
const MIN_MATCH = 4;

/**
 * The uncompressed size of lz4 frames, computed from their lengths alone, because the decompression library has no limit.
 *
 * @returns bytes; damaged data is counted as far as it can be parsed, and counting stops beyond `limit`
 */
export function lz4Size(bytes: Buffer, limit: number): number {
  let size = 0;
  for (let at = 0; at + HEAD_BYTES <= bytes.length && size <= limit; ) {
    const word = bytes.readUInt32LE(at);
    if (word - (word % 16) === SKIPPABLE) {
      at += 8 + bytes.readUInt32LE(Math.min(at + 4, bytes.length - 4));
      continue;
    }
    if (word !== MAGIC) return size;
    const flags = bytes[at + 4] as number;
    at += HEAD_BYTES + ((flags & CONTENT_SIZE) === 0 ? 0 : 8) + ((flags & DICTIONARY_ID) === 0 ? 0 : 4);
    while (at + 4 <= bytes.length && size <= limit) {
      const length = bytes.readUInt32LE(at);
      at += 4;
      if (length === 0) break;
      const stored = length >= IS_STORED;
      const end = at + (stored ? length - IS_STORED : length);
      size += stored ? length - IS_STORED : blockSize(bytes, at, Math.min(end, bytes.length), limit - size);
      at = end + ((flags & BLOCK_CHECKSUM) === 0 ? 0 : 4);
    }
    at += (flags & CONTENT_CHECKSUM) === 0 ? 0 : 4;
  }
  return size;
}

/** A block is a sequence of literals and matches, each with its length; a length of 15 continues in the following bytes. */
function blockSize(bytes: Buffer, start: number, end: number, limit: number): number {
  let size = 0;
  let at = start;
  const length = (nibble: number): number => {
    let sum = nibble;
    if (nibble < 15) return sum;
    for (let byte = 255; byte === 255 && at < end; at += 1) {
      byte = bytes[at] as number;
      sum += byte;
    }
    return sum;
  };
  while (at < end && size <= limit) {
    const token = bytes[at] as number;
    at += 1;
    const literals = length(token >>> 4);
    size += literals;
    at += literals;
    if (at >= end) break;
    at += 2;
    size += MIN_MATCH + length(token & 15);
  }
  return size;
}
