import { codingOf, decoderOfRequest } from './decoders.ts';

/**
 * A request's body as it was before it was compressed.
 *
 * @param limit bytes when decoded, at most
 * @returns undefined where it cannot be read, or is too large
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  limit: number,
): Promise<Buffer | undefined> {
  const coding = codingOf(contentEncoding);
  if (coding === 'identity') return body;
  const decoder = decoderOfRequest(coding)?.(body);
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
