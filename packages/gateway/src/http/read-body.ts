import type { IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly reason: 'too_large' | 'client_gone' };

/** A body that announces more is copied as it arrives, not as a whole at its end. */
const COPY_BYTES = 1024 * 1024;

/** Reads a complete body. @param limit upper bound in bytes */
export function readBody(incoming: IncomingMessage, limit: number): Promise<ReadBody> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) return Promise.resolve({ ok: false, reason: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const whole = announced > COPY_BYTES ? Buffer.allocUnsafeSlow(announced) : undefined;
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      whole?.set(chunk, bytes);
      bytes += chunk.length;
      if (bytes > limit) resolve({ ok: false, reason: 'too_large' });
      else if (whole === undefined) chunks.push(chunk);
    });
    incoming.once('end', () => {
      const [first] = chunks;
      const body = whole ?? (first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
      resolve({ ok: true, body });
    });
    incoming.once('close', () => {
      resolve({ ok: false, reason: 'client_gone' });
    });
  });
}
