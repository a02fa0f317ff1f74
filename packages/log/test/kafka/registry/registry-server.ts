import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Answer = object | ((response: ServerResponse) => void);

/** A registry that answers each path with this; other schemas are unknown. Stopped after the test. */
export async function registryOf(answers: Record<string, Answer>) {
  const requests: string[] = [];
  const logins: (string | undefined)[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    requests.push(url);
    logins.push(headers.authorization);
    const answer = answers[url];
    if (typeof answer === 'function') answer(response);
    else if (answer !== undefined) response.end(JSON.stringify(answer));
    else response.writeHead(404).end('{"error_code":40403,"message":"Schema not found"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, requests, logins, answers };
}

/** A value as serializers write it. */
export function framed(id: number, payload: string | Uint8Array | readonly number[]): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : Uint8Array.from(payload);
  return Buffer.concat([head, bytes]);
}
