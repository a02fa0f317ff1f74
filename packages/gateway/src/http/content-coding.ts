import { type Duplex, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Decompress as ZstdDecompress } from 'fzstd';

/**
 * Decompresses a request's body.
 *
 * @param limit upper bound of the decoded bytes
 * @returns undefined if the coding is unsupported, the body is invalid or too large
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  limit: number,
): Promise<Buffer | undefined> {
  const coding = codingOf(contentEncoding);
  if (coding === 'identity') return body;
  const decoder = requestDecoder(coding)?.(body);
  if (decoder === undefined) return undefined;
  decoder.end(body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decoder) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > limit) return undefined;
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Largest zstd window for HTTP (RFC 9659); the decoder allocates it. */
const MAX_ZSTD_WINDOW = 8 * 1024 * 1024;
/** Upper bound of a frame header. */
const MAX_ZSTD_HEADER_BYTES = 18;

/** Creates the decoder of a content coding. @param first first bytes of the encoded data */
export type MakeDecoder = (first: Buffer) => Duplex;

const ofNode: Readonly<Record<string, MakeDecoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // Standard deflate has a zlib header, but some servers omit it.
  deflate: (first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()),
};

/** @returns undefined for an unsupported coding, and for `identity` */
export function responseDecoder(coding: string): MakeDecoder | undefined {
  return coding === 'zstd' ? zstdDecoder : requestDecoder(coding);
}

/** Only codings that need little memory, whatever a client sends. */
function requestDecoder(coding: string): MakeDecoder | undefined {
  return Object.hasOwn(ofNode, coding) ? ofNode[coding] : undefined;
}

/** The coding in a `content-encoding` header; `identity` if there is none. */
export function codingOf(header: string | undefined): string {
  const coding = header?.trim().toLowerCase() ?? '';
  return coding === '' ? 'identity' : coding;
}

/** Node has no zstd before 22. */
function zstdDecoder(): Duplex {
  let header: Buffer | undefined = Buffer.alloc(0);
  const decoder = new ZstdDecompress((chunk) => stream.push(chunk));
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let next = chunk;
      if (header !== undefined) {
        header = Buffer.concat([header, chunk]);
        if (header.length < MAX_ZSTD_HEADER_BYTES) {
          done();
          return;
        }
        next = header;
        header = undefined;
        if (zstdWindow(next) > MAX_ZSTD_WINDOW) {
          done(new Error('the zstd window is larger than 8 MiB'));
          return;
        }
      }
      attempt(() => {
        decoder.push(next);
      }, done);
    },
    flush(done) {
      attempt(() => {
        decoder.push(header ?? new Uint8Array(0), true);
      }, done);
    },
  });
  return stream;
}

function attempt(work: () => void, done: (error?: Error) => void): void {
  try {
    work();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

/** The window size in a frame header (RFC 8878, 3.1.1.1). */
function zstdWindow(frame: Buffer): number {
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 32) !== 0;
  if (!isSingleSegment) {
    const window = frame[5] ?? 0;
    const base = 2 ** (10 + (window >> 3));
    return base + (base / 8) * (window & 7);
  }
  const idBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + idBytes;
  switch (descriptor >> 6) {
    case 0:
      return frame[at] ?? 0;
    case 1:
      return frame.readUInt16LE(at) + 256;
    case 2:
      return frame.readUInt32LE(at);
    default:
      return Number(frame.readBigUInt64LE(at));
  }
}
