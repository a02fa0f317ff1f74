import type { Server } from 'node:http';

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
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
      request.once('end', () => socket.destroy());
      request.resume();
    };
  });
}
