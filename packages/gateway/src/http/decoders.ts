import { type Duplex, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Decompress as ZstdDecompress } from 'fzstd';

/** A window of zstd for HTTP (RFC 9659); whoever decodes holds it. */
const MAX_ZSTD_WINDOW = 8 * 1024 * 1024;
/** Header of a frame, at most. */
const ZSTD_HEADER_BYTES = 18;

/** Makes the decoder of a content coding. @param first the beginning of what is coded */
export type MakeDecoder = (first: Buffer) => Duplex;

const ofNode: Readonly<Record<string, MakeDecoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // The standard's deflate has a header, that of some servers has none.
  deflate: (first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()),
};

/** @returns undefined for a coding that the gateway cannot read, and where nothing is coded */
export function decoderOfAnswer(coding: string): MakeDecoder | undefined {
  return coding === 'zstd' ? zstdDecoder : decoderOfRequest(coding);
}

/** Those that hold little while they decode, whoever made what is coded. */
export function decoderOfRequest(coding: string): MakeDecoder | undefined {
  return Object.hasOwn(ofNode, coding) ? ofNode[coding] : undefined;
}

/** Of a message's `content-encoding`; `identity` where nothing is coded. */
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
        if (header.length < ZSTD_HEADER_BYTES) {
          done();
          return;
        }
        next = header;
        header = undefined;
        if (zstdWindow(next) > MAX_ZSTD_WINDOW) {
          done(new Error('the window of zstd is larger than 8 MiB'));
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

/** What a frame says of the window that it needs (RFC 8878, 3.1.1.1). */
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
