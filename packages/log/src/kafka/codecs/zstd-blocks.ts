import { Decompress } from 'fzstd';
import { UnpackedTooLarge } from './unpacked-too-large.ts';

/** Maximum window of a frame. Levels up to 19 need 8 MiB; the library copies the whole window for each block. */
const MAX_WINDOW_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 16 * 1024;

/**
 * Decompresses zstd block by block.
 *
 * @throws UnpackedTooLarge beyond `limit` bytes, or for a frame with a larger window than allowed
 * @throws Error when the bytes are not valid zstd
 */
export async function unpackZstd(bytes: Buffer, limit: number): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  let unpacked = 0;
  const stream = new Decompress((block) => {
    unpacked += block.length;
    if (unpacked > limit || windowOf(stream) > MAX_WINDOW_BYTES) throw new UnpackedTooLarge(limit);
    blocks.push(block);
  });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    stream.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
    if (at > 0) await new Promise(setImmediate);
  }
  return Buffer.concat(blocks);
}

/** The window of the current frame, which the library exposes only in this internal field. */
function windowOf(stream: Decompress): number {
  const { s: frame } = stream as unknown as { readonly s?: { readonly w?: Uint8Array } | number };
  return typeof frame === 'object' ? (frame.w?.length ?? 0) : 0;
}
