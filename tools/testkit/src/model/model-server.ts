import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to an OpenAI-compatible server. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format?: {
      readonly type: string;
      readonly json_schema?: { readonly schema: Readonly<Record<string, unknown>> };
    };
  };
}

/** Token usage of an answer. */
export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The reply to a request. */
export type ModelReply =
  | { readonly text: string; readonly after?: Promise<unknown>; readonly usage?: ModelUsage }
  | { readonly status: number; readonly message?: string }
  | { readonly raw: string }
  | 'hang up'
  | 'never';

export interface ModelServer extends AsyncDisposable {
  /** Base URL for clients. */
  readonly url: string;
  readonly requests: ModelRequest[];
}

/**
 * An OpenAI-compatible endpoint whose replies come from a script, called for each request in turn, or from a real model.
 * An error that it throws becomes status 500.
 */
export async function startModelServer(
  script: (request: ModelRequest, index: number) => ModelReply | Promise<ModelReply>,
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void read(incoming).then(async (text) => {
      const body = JSON.parse(text) as ModelRequest['body'];
      const request = { path: incoming.url ?? '', headers: incoming.headers, body };
      const index = requests.push(request) - 1;
      const reply = await Promise.resolve()
        .then(() => script(request, index))
        .catch((error: unknown): ModelReply => ({ status: 500, message: String(error) }));
      await answer(response, request, reply);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answer(response: ServerResponse, request: ModelRequest, reply: ModelReply): Promise<void> {
  if (reply === 'never') return;
  if (reply === 'hang up') {
    response.destroy();
    return;
  }
  if ('raw' in reply) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw);
  } else if ('status' in reply) {
    const error = { message: reply.message ?? 'no', type: 'error' };
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  } else {
    await reply.after;
    const message = { role: 'assistant', content: reply.text };
    const completion = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 0,
      model: request.body.model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      ...(reply.usage !== undefined && { usage: wireUsage(reply.usage) }),
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
  }
}

function wireUsage({ promptTokens, completionTokens }: ModelUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
