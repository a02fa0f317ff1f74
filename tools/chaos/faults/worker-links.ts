import type { ProxyDirection, Valve } from '@loopwatch/testkit';

/** A connection's held bytes, in order. */
type Held = (() => void)[];

/** Where the client id begins in the first request of a connection: after size, API key and version, and correlation id. */
const CLIENT_ID_AT = 12;

/** The network between single workers and all brokers. A worker is known by its client id. */
export class WorkerLinks {
  /** Client ids by connection. */
  readonly #clients = new WeakMap<object, string>();
  readonly #holding = new Map<
    string,
    { readonly directions: readonly ProxyDirection[]; readonly held: Held }
  >();

  /**
   * Holds back what this client sends or receives, also on new connections: packets that arrive late.
   *
   * @returns passes it on
   */
  hold(client: string, directions: readonly ProxyDirection[]): () => void {
    const held: Held = [];
    const holding = { directions, held };
    this.#holding.set(client, holding);
    return () => {
      if (this.#holding.get(client) !== holding) return;
      this.#holding.delete(client);
      for (const pass of held) pass();
    };
  }

  readonly valve: Valve = (link, direction, pass) => (bytes) => {
    if (direction === 'requests' && !this.#clients.has(link)) this.#clients.set(link, clientIn(bytes));
    const holding = this.#holding.get(this.#clients.get(link) ?? '');
    if (holding?.directions.includes(direction) === true) holding.held.push(() => pass(bytes));
    else pass(bytes);
  };
}

/** kafkajs writes a request at once, so that its first bytes contain the whole header. */
function clientIn(request: Buffer): string {
  if (request.length < CLIENT_ID_AT + 2) return '';
  const length = request.readInt16BE(CLIENT_ID_AT);
  return request.toString('utf8', CLIENT_ID_AT + 2, CLIENT_ID_AT + 2 + Math.max(0, length));
}
