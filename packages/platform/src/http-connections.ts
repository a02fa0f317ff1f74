import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Longer than load balancers and clients keep an idle connection, so that none is closed under a request on its way. */
const IDLE_CONNECTION_MS = 75_000;
/** How long the rest of a refused body is read before its connection is closed. */
const LINGER_MS = 5_000;

/**
 * Closes connections so that clients get their answers. A connection that is closed with unread input is reset, and the
 * client may never see why its body was refused.
 */
export function closeGently(http: Server): void {
  http.keepAliveTimeout = IDLE_CONNECTION_MS;
  http.prependListener('request', (request) => {
    const { socket } = request;
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after the last response.
    socket.destroySoon = () => {
      if (request.complete) {
        destroySoon();
        return;
      }
      socket.end();
      destroyLater(socket);
      request.once('end', () => socket.destroy());
      request.resume();
    };
  });
  const refused = new WeakSet<Duplex>();
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What follows on the connection is no request either.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy(error);
      return;
    }
    socket.end(refusal(statuses[error.code ?? ''] ?? 400));
    destroyLater(socket);
  });
}

/** Statuses of requests that cannot be read, by Node's error code; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function refusal(status: number): string {
  const title = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ type: 'about:blank', title, status });
  return [
    `HTTP/1.1 ${String(status)} ${title}`,
    'content-type: application/problem+json',
    `content-length: ${String(body.length)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
