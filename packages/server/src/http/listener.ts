import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The port of the server: taken first, so that nothing is made for a port that cannot be had. */
export interface HttpListener {
  readonly url: string;
  readonly http: Server;
  /** From now on this answers; before, `/healthz` is all there is. */
  serve(app: RequestListener): void;
  close(): Promise<void>;
}

/** How long a request may take to arrive: a long body of events waits for the log. */
const requestTimeoutMs = 60 * 60_000;
/** How long a connection may be silent while a request goes on. The log answers within 10 s, live clients ping every 25 s. */
const idleMs = 2 * 60_000;

/** @param idle for tests: ms that a connection may be silent */
export async function openListener({
  host,
  port,
  idle = idleMs,
}: {
  readonly host: string;
  readonly port: number;
  readonly idle?: number;
}): Promise<HttpListener> {
  let serving: RequestListener = starting;
  const http = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    serving(request, response);
  });
  http.setTimeout(idle);
  const url = await listen(http, host, port);
  return {
    url,
    http,
    serve: (app) => {
      serving = app;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        http.close(() => resolve());
      });
      http.closeAllConnections();
      await closed;
    },
  };
}

const starting: RequestListener = ({ url, headers }, response) => {
  if (headers.accept?.includes('text/html') === true) {
    // A browser asks again by itself.
    response
      .writeHead(503, { 'content-type': 'text/plain; charset=utf-8', refresh: '1' })
      .end('Loopwatch is starting.');
    return;
  }
  const isAlive = url === '/healthz';
  const body = isAlive
    ? { status: 'ok' }
    : { status: 'not ready', checks: { server: { ok: false, detail: 'starting' } } };
  response
    .writeHead(isAlive ? 200 : 503, { 'content-type': 'application/json', 'retry-after': '1' })
    .end(JSON.stringify(body));
};

async function listen(http: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
  const address = http.address() as AddressInfo;
  const local = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address.address);
  const name = local ? 'localhost' : address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${String(address.port)}`;
}
