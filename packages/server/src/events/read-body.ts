import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

const chunkSize = 64 * 1024;
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
};

/**
 * A request's body as it arrives, decompressed. As long as no more of it is asked for, the connection waits.
 * Reading it throws HttpProblem 400 where it is cut off or damaged, 413 where it goes on for too long.
 *
 * @throws HttpProblem 415
 */
export function readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders[encoding]?.();
  if (decoder === undefined && encoding !== 'identity') {
    throw new HttpProblem(
      415,
      `Bodies are taken as they are, or compressed as ${Object.keys(decoders).join(', ')}; not as ${encoding}`,
    );
  }
  return chunksOf(request, decoder, encoding);
}

async function* chunksOf(
  request: IncomingMessage,
  decoder: Transform | undefined,
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
    // The connection outlives a refusal.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.bodyBytes) throw tooLong();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    const what = decoder === undefined ? 'is cut off' : `is cut off, or not what ${encoding} makes`;
    throw new HttpProblem(400, `The body ${what}`, {}, error);
  } finally {
    request.off('close', cutOff);
    if (decoder !== undefined) {
      request.unpipe(decoder);
      decoder.destroy();
    }
    // What is left of it is thrown away, so that the client gets to read the answer.
    request.resume();
  }
}

function tooLong(): HttpProblem {
  const detail = `The body has more than ${String(limits.bodyBytes)} bytes; send the rest in another request`;
  return new HttpProblem(413, detail);
}
