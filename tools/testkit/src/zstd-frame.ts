/** A frame of zstd that holds bytes as they are: this Node has no encoder (RFC 8878, 3.1.1). */
export function zstdFrame(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  // A single segment with four bytes of size.
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000]), size];
  const step = 100_000;
  for (let at = 0; at === 0 || at < bytes.length; at += step) {
    const block = bytes.subarray(at, at + step);
    const isLast = at + step >= bytes.length ? 1 : 0;
    const header = Buffer.alloc(3);
    header.writeUIntLE(block.length * 8 + isLast, 0, 3);
    parts.push(header, block);
  }
  return Buffer.concat(parts);
}
