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
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else resolve({ ok: false, reason: 'too_large' });
    });
    incoming.once('end', () => {
      resolve({ ok: true, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) });
    });
    incoming.once('close', () => {
      resolve({ ok: false, reason: 'client_gone' });
    });
  });
}
