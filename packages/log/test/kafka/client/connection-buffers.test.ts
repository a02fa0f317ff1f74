import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import Connection from 'kafkajs/src/network/connection.js';
import apiVersions from 'kafkajs/src/protocol/requests/apiVersions/index.js';
import { expect, it, onTestFinished } from 'vitest';
import { clearBuffersOnConnect } from '../../../src/kafka/client/connection-buffers.ts';
import { createSocket } from '../../../src/kafka/client/socket.ts';

/** The answer to the request with this correlation id: no error, and no API. */
function answerTo(request: Buffer): Buffer {
  const answer = Buffer.alloc(14);
  answer.writeInt32BE(10);
  request.copy(answer, 4, 8, 12);
  return answer;
}

/** Of a megabyte. */
const startOfLargeAnswer = Buffer.from([0, 15, 66, 64, 0]);

it('connection: is not confused by a response that broke off with the one before', async () => {
  clearBuffersOnConnect();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const breaksOff = connections === 1;
    socket.on('error', () => undefined);
    socket.on('data', (request: Buffer) => {
      if (breaksOff) socket.write(startOfLargeAnswer, () => socket.destroy());
      else socket.write(answerTo(request));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const silent = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    warn: () => undefined,
  };
  const connection = new Connection({
    host: '127.0.0.1',
    port,
    clientId: 'test',
    logger: { namespace: () => silent },
    socketFactory: createSocket,
    connectionTimeout: 5_000,
    requestTimeout: 2_000,
  });
  onTestFinished(async () => {
    await connection.disconnect();
    server.close();
  });
  const ask = async () => {
    await connection.connect();
    return connection.send(apiVersions.protocol({ version: 0 })());
  };
  await expect(ask()).rejects.toThrow('Closed connection');
  const answer = () => ask().catch(() => undefined);
  await expect.poll(answer).toMatchObject({ apiVersions: [] });
});
