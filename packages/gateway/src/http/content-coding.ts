import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { createZstdDecompress } from '@loopwatch/platform';

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

/** Largest zstd window for HTTP (RFC 9659), bytes. */
const MAX_ZSTD_WINDOW = 8 * 1024 * 1024;

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
  return coding === 'zstd' ? () => createZstdDecompress(MAX_ZSTD_WINDOW) : requestDecoder(coding);
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
