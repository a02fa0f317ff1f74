import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a model API. */
export interface ApiRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Resolves when the client disconnects early or the reply is complete. */
  readonly closed: Promise<'answered' | 'client gone'>;
}

/** The reply to a request. */
export type ApiReply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Chunks of the body, each written separately; promises are awaited. */
      readonly chunks: readonly (string | Uint8Array | Promise<unknown>)[];
      /** Whether the body ends correctly, breaks off, or never ends. */
      readonly then?: 'end' | 'cut' | 'hang';
    }
  | 'hang up'
  | 'never';

export interface ScriptedUpstream extends AsyncDisposable {
  /** Ends with `/v1`. */
  readonly url: string;
  readonly requests: ApiRequest[];
}

/** A model API driven by a script, which is called for each request and may break the protocol. */
export async function startScriptedUpstream(
  script: (request: ApiRequest, index: number) => ApiReply | Promise<ApiReply>,
): Promise<ScriptedUpstream> {
  const requests: ApiRequest[] = [];
  const server = createServer({ maxHeaderSize: 131_072 }, (incoming, response) => {
    serve(incoming, response).catch(() => {
      // The client disconnected during its request.
      response.destroy();
    });
  });
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close').then(() =>
      response.writableFinished ? ('answered' as const) : ('client gone' as const),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, bytes, json: parsed(bytes), closed };
    const index = requests.push(request) - 1;
    const reply = await Promise.resolve()
      .then(() => script(request, index))
      .catch((error: unknown): ApiReply => ({ status: 500, json: { error: { message: String(error) } } }));
    await answer(response, reply);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(response: ServerResponse, reply: ApiReply): Promise<void> {
  if (reply === 'never') return;
  if (reply === 'hang up') {
    response.destroy();
    return;
  }
  const { status = 200, headers = {} } = reply;
  if ('json' in reply) {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
  response.flushHeaders();
  for (const chunk of reply.chunks) {
    if (chunk instanceof Promise) await chunk;
    else if (!response.destroyed) await new Promise((resolve) => response.write(chunk, resolve));
  }
  if (reply.then === 'cut') response.destroy();
  else if (reply.then !== 'hang') response.end();
}

function parsed(bytes: Buffer): ApiRequest['json'] {
  try {
    return JSON.parse(bytes.toString('utf8')) as ApiRequest['json'];
  } catch {
    return {};
  }
}
