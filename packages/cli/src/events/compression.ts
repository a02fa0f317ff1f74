import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { createZstdDecompress, zstdDecoder } from '@loopwatch/platform';
import { samplesIn } from './inspect-log.ts';

/** What compressed files begin with, in hexadecimal. Agents and log shippers name them in several ways, and pipes have no name. */
const signatures = [
  ['gzip', '1f8b'],
  ['zstd', '28b52ffd'],
  ['zip', '504b0304'],
] as const;

/** Largest zstd window, bytes: what the command `zstd` reads without a further option. */
const MAX_ZSTD_WINDOW = 128 * 1024 * 1024;

type Compression = (typeof signatures)[number][0];

/** How a file is compressed, by its first bytes; undefined if it is not. */
export function compressionOf(beginning: Buffer): Compression | undefined {
  const bytes = beginning.toString('hex', 0, 4);
  return signatures.find(([, signature]) => bytes.startsWith(signature))?.[0];
}

/** The contents of a file that may be compressed; of a log of Inspect AI, its samples. Errors have zlib's codes. */
export async function* decompressed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    if (first.done === true) return;
    const rest = { [Symbol.asyncIterator]: () => iterator };
    const compression = compressionOf(first.value);
    if (compression === undefined) {
      yield first.value;
      yield* rest;
      return;
    }
    if (compression === 'zip') {
      yield* samplesIn(withFirst(first.value, rest));
      return;
    }
    const decoder =
      compression === 'gzip' ? createGunzip({ chunkSize: 1 << 18 }) : createZstdDecompress(MAX_ZSTD_WINDOW);
    yield* pipeline(Readable.from(withFirst(first.value, rest)), decoder, ignore) as AsyncIterable<Buffer>;
  } finally {
    await iterator.return?.();
  }
}

/** The contents of the beginning of a file that may be compressed, as far as it can be read. */
export function decompressedBeginning(beginning: Buffer): Buffer {
  const compression = compressionOf(beginning);
  if (compression === undefined) return beginning;
  if (compression === 'zip') return Buffer.alloc(0);
  const contents: Uint8Array[] = [];
  try {
    if (compression === 'gzip') return gunzipSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH });
    zstdDecoder((block) => contents.push(block), MAX_ZSTD_WINDOW)(beginning, false);
  } catch {
    // The reader of the file says why it cannot be read.
  }
  return Buffer.concat(contents);
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function ignore(): void {
  // The reader of the stream gets the error.
}
