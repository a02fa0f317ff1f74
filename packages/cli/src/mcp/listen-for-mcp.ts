import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { localhostHostValidation } from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express, { type RequestHandler } from 'express';
import { listenFailure } from '../runtime/http.ts';

/** What a request is refused with: the id is unknown, because its body was not read. */
const refused = (message: string) => ({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });

/**
 * Serves the protocol over streamable HTTP, to programs of this machine only. Web pages are refused: one whose name was
 * rebound to this machine has a `Host` of its own, and any other an `Origin`.
 *
 * @param create makes the server of one request; there are no sessions, so a restart loses nothing
 * @throws UsageError if the port is in use
 */
export async function listenForMcp(
  create: () => McpServer,
  port: number,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const app = express();
  app.disable('x-powered-by');
  app.use(localhostHostValidation(), refuseOtherOrigins);
  app
    .route('/mcp')
    .post(async (request, response) => {
      const server = create();
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      response.on('close', () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response);
    })
    .all((_request, response) => {
      response
        .set('allow', 'POST')
        .status(405)
        .json(refused('Only POST is supported: there are no sessions'));
    });
  const http = createServer(app).listen(port, '127.0.0.1');
  try {
    await once(http, 'listening');
  } catch (error) {
    throw listenFailure(error, port);
  }
  const { port: own } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(own)}/mcp`,
    stop: () => {
      http.close();
      http.closeAllConnections();
    },
  };
}

const refuseOtherOrigins: RequestHandler = ({ headers: { origin } }, response, next) => {
  const isLocal =
    origin === undefined ||
    (URL.canParse(origin) && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(origin).hostname));
  if (isLocal) next();
  else response.status(403).json(refused(`Invalid Origin: ${origin}`));
};
