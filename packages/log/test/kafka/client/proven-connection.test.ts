import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectProven } from '../../../src/kafka/client/proven-connection.ts';

/** A server on a free port, and its accepted connections. */
async function server(onData: (connection: Socket, bytes: Buffer) => void) {
  const connections: Socket[] = [];
  const listener = createServer((connection) => {
    connections.push(connection);
    connection.on('data', (bytes) => onData(connection, bytes));
    connection.on('error', () => undefined);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.close();
    for (const connection of connections) connection.destroy();
  });
  const { port } = listener.address() as AddressInfo;
  return { to: { host: '127.0.0.1', port }, connections };
}

function proven(to: { host: string; port: number }, proofMs?: number) {
  const events: string[] = [];
  const socket = connectProven(
    to,
    () => events.push('connected'),
    () => events.push('proven'),
    proofMs,
  );
  socket.on('error', (error) => events.push(error.message));
  onTestFinished(() => {
    socket.destroy();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return { socket, events, closed };
}

describe('connectProven', () => {
  it('connects once the broker has answered, without the bytes of the probe', async () => {
    const asked: Buffer[] = [];
    const { to } = await server((connection, bytes) => {
      asked.push(bytes);
      connection.write(bytes.length === 14 ? 'versions' : 'answer');
    });
    const { socket, events } = proven(to);
    await once(socket, 'connect');
    socket.write('request');
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(events).toEqual(['proven', 'connected']);
    expect(data.toString()).toBe('answer');
    expect(asked.map((bytes) => bytes.toString('hex'))).toEqual([
      '0000000a001200000000' + '0000ffff',
      Buffer.from('request').toString('hex'),
    ]);
  });

  it('fails when the broker accepts connections but does not answer', async () => {
    const { to, connections } = await server(() => undefined);
    const { events, closed } = proven(to, 50);
    await closed;
    expect(events).toEqual(['the broker accepts connections but does not answer']);
    expect(connections).toHaveLength(1);
  });

  it('fails with ECONNREFUSED when nothing listens', async () => {
    const { to } = await server(() => undefined);
    const { events, closed } = proven({ ...to, host: '127.0.0.2' });
    await closed;
    expect(events).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('does not connect when it is destroyed first', async () => {
    const { to, connections } = await server((connection) => connection.write('versions'));
    const { socket, events, closed } = proven(to);
    socket.destroy();
    await closed;
    expect(events).toEqual([]);
    expect(connections.length).toBeLessThanOrEqual(1);
  });
});
