import { ZstdError, zstdDecoder } from '@loopwatch/platform';
import { UnpackedTooLarge } from './unpacked-too-large.ts';

/** Maximum window of a frame. Levels up to 19 need 8 MiB. */
const MAX_WINDOW_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 16 * 1024;

/**
 * Decompresses zstd block by block.
 *
 * @throws UnpackedTooLarge beyond `limit` bytes, or for a frame with a larger window than allowed
 * @throws ZstdError when the bytes are not valid zstd
 */
export async function unpackZstd(bytes: Buffer, limit: number): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  let unpacked = 0;
  const decode = zstdDecoder((block) => {
    unpacked += block.length;
    if (unpacked > limit) throw new UnpackedTooLarge(limit);
    blocks.push(block);
  }, MAX_WINDOW_BYTES);
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      decode(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
      if (at > 0) await new Promise(setImmediate);
    }
  } catch (error) {
    throw error instanceof ZstdError && error.code === 'ZSTD_window' ? new UnpackedTooLarge(limit) : error;
  }
  return Buffer.concat(blocks);
}
