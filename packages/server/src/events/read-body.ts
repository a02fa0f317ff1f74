import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ZstdError, zstdDecoder } from '@loopwatch/platform';
import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

const CHUNK_SIZE = 64 * 1024;
/** Largest zstd window, bytes: what a decoder of `Content-Encoding: zstd` has to support (RFC 9659). */
const MAX_ZSTD_WINDOW = 8 * 1024 * 1024;
/** Bytes of zstd that are decompressed at once: four of them can hold 128 KiB. */
const ZSTD_PIECE = 256;
/** A map, because the name comes from the client: an object has a `constructor` too. */
const decoders: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', () => createGunzip({ chunkSize: CHUNK_SIZE })],
  ['x-gzip', () => createGunzip({ chunkSize: CHUNK_SIZE })],
  ['deflate', () => createInflate({ chunkSize: CHUNK_SIZE })],
  ['br', () => createBrotliDecompress({ chunkSize: CHUNK_SIZE })],
  ['zstd', () => Duplex.from(zstdContents)],
]);

/**
 * Streams a request's body, decompressed, with backpressure on the connection.
 * Reading throws HttpProblem 400 when it is truncated or corrupt, 413 when it is too long.
 *
 * @throws HttpProblem 415 for an unknown content encoding
 */
export function readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders.get(encoding)?.();
  if (decoder === undefined && encoding !== 'identity') {
    throw new HttpProblem(
      415,
      `Unsupported content-encoding ${encoding}; use ${[...decoders.keys()].join(', ')} or none`,
    );
  }
  return chunksOf(request, decoder, encoding);
}

async function* zstdContents(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const blocks: Buffer[] = [];
  const decode = zstdDecoder((block) => blocks.push(Buffer.from(block)), MAX_ZSTD_WINDOW);
  for await (const chunk of source)
    for (let at = 0; at < chunk.length; at += ZSTD_PIECE) {
      decode(chunk.subarray(at, at + ZSTD_PIECE), false);
      yield* blocks.splice(0);
    }
  decode(new Uint8Array(0), true);
  yield* blocks;
}

async function* chunksOf(
  request: IncomingMessage,
  decoder: Duplex | undefined,
  encoding: string,
): AsyncGenerator<Buffer> {
  const source = decoder === undefined ? request : request.pipe(decoder);
  const cutOff = (): void => {
    if (!request.complete) source.destroy(new Error('the request ended before its body did'));
  };
  request.once('close', cutOff);
  if (request.destroyed) cutOff();
  let size = 0;
  try {
    // Keep the connection open after an error, so that the client can read the response.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.bodyBytes) throw tooLong();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw new HttpProblem(400, `The body ${faultOf(error, decoder && encoding)}`, {}, error);
  } finally {
    request.off('close', cutOff);
    if (decoder !== undefined) {
      request.unpipe(decoder);
      decoder.destroy();
    }
    // Discard the rest, so that the client reads the response.
    request.resume();
  }
}

function faultOf(error: unknown, encoding: string | undefined): string {
  if (error instanceof ZstdError && error.code === 'ZSTD_window')
    return `cannot be decompressed: ${error.message}`;
  return encoding === undefined ? 'is truncated' : `is truncated, or not valid ${encoding}`;
}

function tooLong(): HttpProblem {
  const detail = `The body exceeds ${String(limits.bodyBytes)} bytes; send the rest in another request`;
  return new HttpProblem(413, detail);
}
