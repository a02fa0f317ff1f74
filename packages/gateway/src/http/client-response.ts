import type { ServerResponse } from 'node:http';
import type { FlatHeaders } from './headers.ts';
import type { ResponseSource } from './response.ts';

/**
 * The response to a client, fed from an upstream. A slow client slows the upstream down; a disconnected one aborts it.
 */
export class ClientResponse {
  readonly #response: ServerResponse;
  #source: ResponseSource | undefined;
  #written = false;
  #aborter: AbortController | undefined;
  #isGone = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', () => this.#source?.resume());
    response.once('close', () => {
      if (response.writableFinished) return;
      this.#isGone = true;
      this.#aborter?.abort();
      this.#source?.abort();
    });
  }

  /** Aborts when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.#isGone) this.#aborter.abort();
    }
    return this.#aborter.signal;
  }

  get started(): boolean {
    return this.#response.headersSent;
  }

  /** Sets the upstream response that feeds this one. */
  feedFrom(source: ResponseSource): void {
    this.#source = source;
    if (this.#isGone) source.abort();
  }

  head(status: number, headers: FlatHeaders, statusMessage = ''): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(status, statusMessage, headers as string[]);
    // Send headers together with the first bytes of the body, unless those are not there yet.
    setImmediate(() => {
      if (!this.#written && !this.#response.destroyed) this.#response.flushHeaders();
    });
  }

  write(chunk: Buffer | string): void {
    if (this.#response.destroyed || chunk.length === 0) return;
    this.#written = true;
    if (!this.#response.write(chunk)) this.#source?.pause();
  }

  end(chunk?: Buffer | string): void {
    this.#source = undefined;
    this.#written = true;
    if (!this.#response.destroyed) this.#response.end(chunk);
  }

  /** Closes the connection, so that the client sees an incomplete response. */
  cut(): void {
    this.#source = undefined;
    const { socket } = this.#response;
    // Written bytes are still sent.
    if (socket === null) this.#response.destroy();
    else socket.destroySoon();
  }

  /** Sends a complete JSON response. */
  json(status: number, value: unknown, headers: FlatHeaders = []): void {
    const body = Buffer.from(JSON.stringify(value));
    this.head(status, [
      ...headers,
      'content-type',
      'application/json',
      'content-length',
      String(body.length),
    ]);
    this.end(body);
  }
}
