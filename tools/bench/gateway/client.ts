import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Milliseconds from sending the request to the first and to the last byte of the response's body. */
export interface Timing {
  readonly first: number;
  readonly total: number;
}

/** A client on a bare socket, which costs less than any HTTP library. One request at a time. */
export class Client {
  readonly #socket: Socket;
  #onData: (chunk: Buffer) => void = () => undefined;
  #onFailure: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#onData(chunk);
    });
    socket.on('error', (error) => {
      this.#onFailure(error);
    });
    socket.on('close', () => {
      this.#onFailure(new Error('the connection was closed'));
    });
  }

  static async to(port: number): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Client(socket);
  }

  close(): void {
    this.#onFailure = () => undefined;
    this.#socket.destroy();
  }

  ask(body: readonly Buffer[], headers: Readonly<Record<string, string>>): Promise<Timing> {
    const bytes = body.reduce((sum, part) => sum + part.length, 0);
    const lines = Object.entries({
      host: '127.0.0.1',
      authorization: 'Bearer sk-bench',
      accept: 'application/json',
      'user-agent': 'OpenAI/JS 6.49.0',
      'content-type': 'application/json',
      'content-length': String(bytes),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      this.#onFailure = reject;
      const start = performance.now();
      let head = '';
      let first: number | undefined;
      /** Remaining bytes of a body of known length; undefined if it is chunked. */
      let left: number | undefined;
      let end: Buffer = Buffer.alloc(0);
      this.#onData = (received) => {
        let chunk = received;
        if (first === undefined) {
          head += chunk.toString('latin1');
          const headEnd = head.indexOf('\r\n\r\n');
          if (headEnd === -1 || head.length === headEnd + 4) return;
          first = performance.now() - start;
          if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head));
          const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, headEnd + 2))?.[1];
          left = length === undefined ? undefined : Number(length);
          chunk = Buffer.from(head.slice(headEnd + 4), 'latin1');
        }
        if (chunk.includes('loopwatch')) reject(new Error(`stopped: ${chunk.toString()}`));
        if (left !== undefined) left -= chunk.length;
        end = chunk.length < lastChunk.length ? Buffer.concat([end, chunk]) : chunk;
        const isOver = left === undefined ? end.subarray(-lastChunk.length).equals(lastChunk) : left === 0;
        if (isOver) resolve({ first, total: performance.now() - start });
      };
      this.#socket.cork();
      this.#socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n`);
      for (const part of body) this.#socket.write(part);
      this.#socket.uncork();
    });
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');
