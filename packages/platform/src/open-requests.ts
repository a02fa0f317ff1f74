import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { atMost } from './timing.ts';

/** The requests that a server has not answered completely. */
export class OpenRequests {
  readonly #http: Server;
  readonly #responses = new Set<ServerResponse>();
  #isClosing = false;

  constructor(http: Server) {
    this.#http = http;
    http.prependListener('request', (_request, response) => {
      this.#responses.add(response);
      if (this.#isClosing) response.shouldKeepAlive = false;
      response.once('close', () => {
        this.#responses.delete(response);
        // Its connection may have been announced as one that stays open.
        if (this.#isClosing) setImmediate(() => http.closeIdleConnections());
      });
    });
  }

  get count(): number {
    return this.#responses.size;
  }

  /** Stops listening, waits for all answers, and cuts off those that take longer than `ms`. @returns their number */
  async drain(ms: number): Promise<number> {
    this.#isClosing = true;
    for (const response of this.#responses) response.shouldKeepAlive = false;
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
    });
    await atMost(closed, ms);
    const late = [...this.#responses];
    // Each request has seen that its client is gone before anything else is stopped.
    const ended = late.map((response) => once(response, 'close'));
    this.#http.closeAllConnections();
    await Promise.all([closed, ...ended]);
    return late.length;
  }
}
