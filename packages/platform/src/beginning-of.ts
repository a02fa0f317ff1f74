/**
 * Reads an answer, decompressed; what is beyond the limit is not read, and the connection is closed.
 *
 * @param maxBytes of the text, as UTF-8
 */
export async function beginningOf(
  { body }: Pick<Response, 'body'>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
  for await (const part of chunks) {
    parts.push(part);
    length += part.length;
    if (length > maxBytes) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(parts).subarray(0, maxBytes));
  return { text, isComplete: length <= maxBytes };
}
