import { pipeline, Readable, Transform } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { Decompress } from 'fzstd';

/** What compressed files begin with, in hexadecimal. Agents and log shippers name them in several ways, and pipes have no name. */
const signatures = [
  ['gzip', '1f8b'],
  ['zstd', '28b52ffd'],
] as const;

type Compression = (typeof signatures)[number][0];

/** How a file is compressed, by its first bytes; undefined if it is not. */
export function compressionOf(beginning: Buffer): Compression | undefined {
  const bytes = beginning.toString('hex', 0, 4);
  return signatures.find(([, signature]) => bytes.startsWith(signature))?.[0];
}

/** The contents of a file that may be compressed. Its errors have zlib's codes. */
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
    const decoder = compression === 'gzip' ? createGunzip({ chunkSize: 1 << 18 }) : zstdDecoder();
    yield* pipeline(Readable.from(withFirst(first.value, rest)), decoder, ignore) as AsyncIterable<Buffer>;
  } finally {
    await iterator.return?.();
  }
}

/** The contents of the beginning of a file that may be compressed, as far as it can be read. */
export function decompressedBeginning(beginning: Buffer): Buffer {
  const compression = compressionOf(beginning);
  if (compression === undefined) return beginning;
  const contents: Uint8Array[] = [];
  try {
    if (compression === 'gzip') return gunzipSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH });
    new Decompress((chunk) => contents.push(chunk)).push(beginning);
  } catch {
    // The reader of the file says why it cannot be read.
  }
  return Buffer.concat(contents);
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** Node has no zstd before 22. */
function zstdDecoder(): Transform {
  const decoder = new Decompress((chunk) => decompressing.push(chunk));
  const attempt = (chunk: Uint8Array, isLast: boolean, done: (error?: Error) => void) => {
    try {
      decoder.push(chunk, isLast);
    } catch (error) {
      const isCut = isLast && chunk.length === 0;
      done(Object.assign(new Error(String(error)), { code: isCut ? 'ZSTD_truncated' : 'ZSTD_error' }));
      return;
    }
    done();
  };
  const decompressing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      attempt(chunk, false, done);
    },
    flush(done) {
      attempt(new Uint8Array(0), true, done);
    },
  });
  return decompressing;
}

function ignore(): void {
  // The reader of the stream gets the error.
}
