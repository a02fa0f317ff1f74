import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxy, waitFor } from '../../src/index.ts';

/** A server that answers every chunk in capitals, the data it received, and a proxy in front of it. */
async function proxied(): Promise<{ readonly proxy: TcpProxy; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text) => {
      received.push(String(text));
      socket.write(String(text).toUpperCase());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startTcpProxy(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return { proxy, received };
}

interface Client {
  readonly socket: Socket;
  readonly got: () => string;
  /** The error code that ended it, or `end`. */
  readonly over: Promise<string>;
}

async function client({ address }: TcpProxy): Promise<Client> {
  const [host, port] = address.split(':');
  const socket = connect({ host: host ?? '', port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const over = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('end'));
  });
  await Promise.race([once(socket, 'connect'), over]);
  return { socket, got: () => text, over };
}

describe('startTcpProxy', () => {
  it('TCP proxy: forwards bytes in both directions and the end of a connection', async () => {
    const { proxy } = await proxied();
    const { socket, got, over } = await client(proxy);
    const much = 'a'.repeat(3_000_000);
    socket.end(much);
    expect(await over).toBe('end');
    expect(got()).toBe(much.toUpperCase());
    await waitFor(() => proxy.connections === 0);
  });

  it.each([
    { held: undefined, arrives: 0 },
    { held: 'requests', arrives: 0 },
    { held: 'replies', arrives: 1 },
  ] as const)(
    'TCP proxy: a pause of $held holds bytes back without losing any',
    async ({ held, arrives }) => {
      const { proxy, received } = await proxied();
      const before = await client(proxy);
      before.socket.write('one');
      await waitFor(() => before.got() === 'ONE');
      proxy.pause(held);
      before.socket.write('two');
      const after = await client(proxy);
      after.socket.write('three');
      if (arrives > 0) await waitFor(() => received.length === 3);
      else await waitFor(() => proxy.connections === 2);
      expect([before.got(), after.got()]).toEqual(['ONE', '']);
      expect(received).toHaveLength(1 + 2 * arrives);
      proxy.resume();
      await waitFor(() => before.got() === 'ONETWO' && after.got() === 'THREE');
    },
  );

  it('TCP proxy: pausing replies and cutting loses an acknowledgement', async () => {
    const { proxy, received } = await proxied();
    proxy.pause('replies');
    const { socket, got, over } = await client(proxy);
    socket.write('written');
    await waitFor(() => received.includes('written'));
    proxy.cut();
    proxy.resume();
    expect(await over).toBe('ECONNRESET');
    expect(got()).toBe('');
    const next = await client(proxy);
    next.socket.write('again');
    await waitFor(() => next.got() === 'AGAIN');
  });

  it('TCP proxy: refuses connections while closed, and accepts them again on the same port', async () => {
    const { proxy } = await proxied();
    const { address } = proxy;
    const open = await client(proxy);
    open.socket.write('a');
    await waitFor(() => open.got() === 'A');
    await proxy.close();
    expect(await open.over).toBe('ECONNRESET');
    expect(await (await client(proxy)).over).toBe('ECONNREFUSED');
    await proxy.open();
    expect(proxy.address).toBe(address);
    const again = await client(proxy);
    again.socket.write('b');
    await waitFor(() => again.got() === 'B');
  });

  it('TCP proxy: resets connections when the server is unavailable', async () => {
    const proxy = await startTcpProxy('127.0.0.1:1');
    onTestFinished(() => proxy.close());
    expect(await (await client(proxy)).over).toBe('ECONNRESET');
  });
});
