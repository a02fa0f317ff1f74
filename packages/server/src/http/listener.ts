import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeGently, OpenRequests } from '@loopwatch/platform';

/** The server's port. It is bound before anything else is opened, so that a port in use is reported first. */
export interface HttpListener {
  readonly url: string;
  readonly http: Server;
  /** Hands requests to the application; before, only `/healthz` succeeds. */
  serve(app: RequestListener): void;
  /** Accepts no more connections, and gives open requests this long, ms, to finish; by default no time. */
  close(graceMs?: number): Promise<void>;
}

/** How long a request may take to arrive: long bodies of events wait for the log. */
const REQUEST_TIMEOUT_MS = 60 * 60_000;
/** How long a connection may be idle during a request. The log answers within 10 s, live clients ping every 25 s. */
const IDLE_TIMEOUT_MS = 2 * 60_000;

/** @param idle for tests: the idle timeout, ms */
export async function openListener({
  host,
  port,
  idle = IDLE_TIMEOUT_MS,
}: {
  readonly host: string;
  readonly port: number;
  readonly idle?: number;
}): Promise<HttpListener> {
  let handler: RequestListener = respondStarting;
  const http = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    handler(request, response);
  });
  http.setTimeout(idle);
  closeGently(http);
  const open = new OpenRequests(http);
  const url = await listen(http, host, port);
  return {
    url,
    http,
    serve: (app) => {
      handler = app;
    },
    close: async (graceMs = 0) => {
      await open.drain(graceMs);
    },
  };
}

const respondStarting: RequestListener = ({ url, headers }, response) => {
  if (headers.accept?.includes('text/html') === true) {
    // The browser reloads the page on its own.
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
