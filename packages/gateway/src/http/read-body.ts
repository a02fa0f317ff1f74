import type { IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly reason: 'too_large' | 'client_gone' };

/** Reads a complete body. @param limit upper bound in bytes */
export function readBody(incoming: IncomingMessage, limit: number): Promise<ReadBody> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) return Promise.resolve({ ok: false, reason: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    // Copied as it arrives: chunks that are kept until the end outlive a collection, and bring the next one closer.
    const whole = announced > 0 ? Buffer.allocUnsafeSlow(announced) : undefined;
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      whole?.set(chunk, bytes);
      bytes += chunk.length;
      if (bytes > limit) resolve({ ok: false, reason: 'too_large' });
      else if (whole === undefined) chunks.push(chunk);
    });
    incoming.once('end', () => {
      resolve({ ok: true, body: whole ?? Buffer.concat(chunks.splice(0)) });
    });
    incoming.once('close', () => {
      resolve({ ok: false, reason: 'client_gone' });
    });
  });
}
