import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HttpProblem } from '../http/problem.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads a request's body, decompressed. What is too large is refused as soon as that shows.
 *
 * @param onBytes told of bytes as they come; it may throw to end the reading
 * @throws HttpProblem 400 when it is cut off or damaged, 413, 415
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders[encoding]?.();
  if (decoder === undefined && encoding !== 'identity') {
    throw new HttpProblem(
      415,
      `Bodies are taken as they are, or compressed as ${Object.keys(decoders).join(', ')}; not as ${encoding}`,
    );
  }
  const source = decoder === undefined ? request : request.pipe(decoder);
  const cutOff = (): void => {
    if (!request.complete) source.destroy(new Error('the request ended before its body did'));
  };
  request.once('close', cutOff);
  try {
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    return await collect(source, limit, onBytes);
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    const what = decoder === undefined ? 'is cut off' : `is cut off, or not what ${encoding} makes`;
    throw new HttpProblem(400, `The body ${what}; nothing of it was taken`, { accepted: 0 }, error);
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

async function collect(source: Readable, limit: number, onBytes: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection outlives a refusal.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    onBytes(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): HttpProblem {
  const detail = `The body has more than ${String(limit)} bytes; nothing of it was taken. Send it in several requests`;
  return new HttpProblem(413, detail, { accepted: 0 });
}
