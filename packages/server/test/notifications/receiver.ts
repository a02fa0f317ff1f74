import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** What it answers. */
  reply: (request: Received) => Reply;
}

/** A receiver of messages on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, text, json: JSON.parse(text) as Received['json'] };
      received.push(one);
      const reply = receiver.reply(one);
      response.writeHead(reply.status ?? 200, { connection: 'close', ...reply.headers }).end(reply.text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    reply: () => ({}),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return receiver;
}
