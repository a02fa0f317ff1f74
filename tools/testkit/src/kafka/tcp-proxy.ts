import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../ports.ts';

/** The direction of bytes: `requests` from the client to the server, `replies` back. */
export type ProxyDirection = 'requests' | 'replies';

/**
 * A network that can fail: clients connect to `address`, and the proxy forwards bytes to the server and back.
 *
 * A write whose acknowledgement is lost: `pause('replies')`, let the client write, `cut()`, `resume()`. A partition: `close()`
 * (connections are refused) or `pause()` (nothing responds); healed by `open()` or `resume()`.
 */
export interface TcpProxy extends AsyncDisposable {
  /** `host:port` for clients. */
  readonly address: string;
  /** Number of open connections. */
  readonly connections: number;
  /** Holds bytes back without losing any, also on new connections; in both directions by default. */
  pause(direction?: ProxyDirection): void;
  /** Forwards bytes again in both directions. */
  resume(): void;
  /** Resets all connections and loses the bytes held back; accepts new connections. */
  cut(): void;
  /** Resets all connections and refuses new ones. */
  close(): Promise<void>;
  /** Accepts connections again, on the same port. */
  open(): Promise<void>;
}

/**
 * Filters the bytes of a connection in one direction: receives them as they arrive, and calls `pass`, now or later, with
 * the bytes to forward. Called once for each connection and direction; `link` is the same object for both.
 */
export type Valve = (
  link: object,
  direction: ProxyDirection,
  pass: (bytes: Buffer) => void,
) => (bytes: Buffer) => void;

/** One connection: the client's socket and the one to the server. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** Starts a proxy for the server at `host:port`, which need not be running yet. */
export async function startTcpProxy(target: string, valve?: Valve): Promise<TcpProxy> {
  const colon = target.lastIndexOf(':');
  const ownPort = await freePort();
  const proxy = new CuttableProxy(ownPort, target.slice(0, colon), Number(target.slice(colon + 1)), valve);
  await proxy.open();
  return proxy;
}

class CuttableProxy implements TcpProxy {
  readonly #ownPort: number;
  readonly #host: string;
  readonly #port: number;
  readonly #links = new Set<Link>();
  readonly #held = new Set<ProxyDirection>();
  readonly #valve: Valve | undefined;
  #listener: Server | undefined;

  constructor(ownPort: number, host: string, port: number, valve: Valve | undefined) {
    this.#ownPort = ownPort;
    this.#host = host;
    this.#port = port;
    this.#valve = valve;
  }

  get address(): string {
    return `127.0.0.1:${this.#ownPort}`;
  }

  get connections(): number {
    return this.#links.size;
  }

  pause(direction?: ProxyDirection): void {
    for (const each of direction === undefined ? (['requests', 'replies'] as const) : [direction]) {
      this.#held.add(each);
      for (const link of this.#links) sourceOf(link, each).pause();
    }
  }

  resume(): void {
    this.#held.clear();
    for (const { client, server } of this.#links) {
      client.resume();
      server.resume();
    }
  }

  cut(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    const closed = listener && once(listener, 'close');
    listener?.close();
    this.cut();
    await closed;
  }

  async open(): Promise<void> {
    if (this.#listener !== undefined) return;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
    this.#listener = listener.listen(this.#ownPort, '127.0.0.1');
    await once(listener, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #accept(client: Socket): void {
    const server = connect({ host: this.#host, port: this.#port, allowHalfOpen: true, noDelay: true });
    const link = { client, server };
    this.#links.add(link);
    this.#forward(link, client, server, 'requests');
    this.#forward(link, server, client, 'replies');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // A failure on one side resets the other side instead of closing it.
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => {
        other.destroySoon();
        this.#links.delete(link);
      });
    }
  }

  #forward(link: Link, from: Socket, to: Socket, direction: ProxyDirection): void {
    const pass = (bytes: Buffer): void => {
      if (!to.destroyed && !to.write(bytes)) from.pause();
    };
    from.on('data', this.#valve?.(link, direction, pass) ?? pass);
    from.on('end', () => to.end());
    to.on('drain', () => {
      if (!this.#held.has(direction)) from.resume();
    });
    if (this.#held.has(direction)) from.pause();
  }
}

function sourceOf({ client, server }: Link, direction: ProxyDirection): Socket {
  return direction === 'requests' ? client : server;
}
