import type { ServerResponse } from 'node:http';
import type { AnswerSource } from './answer.ts';
import type { FlatHeaders } from './headers.ts';

/**
 * The answer to a client, fed from an upstream: a client that reads slowly slows the upstream down, and one that goes
 * away breaks it off.
 */
export class ClientResponse {
  private readonly response: ServerResponse;
  private source: AnswerSource | undefined;
  private written = false;
  private readonly aborter = new AbortController();

  constructor(response: ServerResponse) {
    this.response = response;
    response.on('drain', () => this.source?.resume());
    response.once('close', () => {
      if (response.writableFinished) return;
      this.aborter.abort();
      this.source?.abort();
    });
  }

  /** Aborts when the client has gone away before it was answered. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get started(): boolean {
    return this.response.headersSent;
  }

  /** The upstream that the answer comes from now. */
  feedFrom(source: AnswerSource): void {
    this.source = source;
    if (this.aborter.signal.aborted) source.abort();
  }

  head(status: number, headers: FlatHeaders, statusMessage = ''): void {
    if (this.response.headersSent || this.response.destroyed) return;
    this.response.writeHead(status, statusMessage, headers as string[]);
    // Headers travel with the first bytes of the body where those are there already, and do not wait for them else.
    setImmediate(() => {
      if (!this.written && !this.response.destroyed) this.response.flushHeaders();
    });
  }

  write(chunk: Buffer | string): void {
    if (this.response.destroyed || chunk.length === 0) return;
    this.written = true;
    if (!this.response.write(chunk)) this.source?.pause();
  }

  end(chunk?: Buffer | string): void {
    this.source = undefined;
    this.written = true;
    if (!this.response.destroyed) this.response.end(chunk);
  }

  /** Ends the connection in the middle of the answer, so that the client sees that it is not complete. */
  cut(): void {
    this.source = undefined;
    const { socket } = this.response;
    // What has been written still goes out.
    if (socket === null) this.response.destroy();
    else socket.destroySoon();
  }

  /** Answers as a whole with JSON. */
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
