import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { AnswerReceiver, AnswerSource } from './answer.ts';
import { DecodedAnswer } from './decoded-answer.ts';
import type { FlatHeaders } from './headers.ts';
import { tooLargeToJudge, toUpstreamError, UpstreamError } from './upstream-error.ts';

/** A request on its way to the upstream. */
export interface UpstreamRequest {
  readonly method: string;
  /** Path at the upstream, query included. */
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body: Buffer | Readable | null;
}

/** An answer that was taken as a whole. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: FlatHeaders;
  readonly body: Buffer;
}

/** Limits of time, in milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly responseMs: number;
  readonly stallMs: number;
}

/** The one upstream of a gateway, with as many connections as there are requests under way. */
export class Upstream {
  readonly origin: string;
  private readonly pool: Pool;

  constructor(origin: string, { connectMs, responseMs, stallMs }: UpstreamTimeouts) {
    this.origin = origin;
    this.pool = new Pool(origin, {
      connect: { timeout: connectMs },
      headersTimeout: responseMs,
      bodyTimeout: stallMs,
      connections: null,
      pipelining: 1,
    });
  }

  /** Sends a request whose answer is to be read. @param limit bytes of a compressed answer when it is not, at most */
  sendReadable(request: UpstreamRequest, receiver: AnswerReceiver, limit: number): AnswerSource {
    const answer = new DecodedAnswer(receiver, limit, this.origin);
    return answer.from(this.send(request, answer));
  }

  send(request: UpstreamRequest, receiver: AnswerReceiver): UpstreamCall {
    const call = new UpstreamCall(this.origin, receiver);
    try {
      const { method, path, headers, body } = request;
      this.pool.dispatch({ method: method, path, headers: [...headers], body }, call);
    } catch (error) {
      // A header or a path that cannot be sent on.
      call.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
    return call;
  }

  /**
   * Sends a request and takes the answer as a whole.
   *
   * @param limit bytes of the body, at most
   * @throws UpstreamError
   */
  fetch(request: UpstreamRequest, limit: number, signal: AbortSignal): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let head: Pick<WholeAnswer, 'status' | 'headers'> = { status: 502, headers: [] };
      const receiver: AnswerReceiver = {
        start: (status, headers) => {
          head = { status, headers };
        },
        data: (chunk) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > limit) call.abort(tooLargeToJudge(this.origin));
        },
        end: () => {
          resolve({ ...head, body: Buffer.concat(chunks) });
        },
        failed: reject,
      };
      const call = this.sendReadable(request, receiver, limit);
      if (signal.aborted) call.abort();
      else signal.addEventListener('abort', () => call.abort(), { once: true });
    });
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

/** One request at the upstream and its answer: what undici reports, handed to the receiver. */
export class UpstreamCall implements Dispatcher.DispatchHandler, AnswerSource {
  private readonly origin: string;
  private readonly receiver: AnswerReceiver;
  private controller: Dispatcher.DispatchController | undefined;
  private answered = false;
  private over = false;
  private reason: Error | undefined;

  constructor(origin: string, receiver: AnswerReceiver) {
    this.origin = origin;
    this.receiver = receiver;
  }

  /** Breaks the request off; the receiver hears of it as a failure. Without effect once the answer is complete. */
  abort(reason: UpstreamError = new UpstreamError('aborted', 'The request was broken off.')): void {
    if (this.over) return;
    this.reason ??= reason;
    this.controller?.abort(reason);
  }

  pause(): void {
    this.controller?.pause();
  }

  resume(): void {
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.reason !== undefined) controller.abort(this.reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (status < 200) return;
    this.answered = true;
    const raw = (controller.rawHeaders ?? []) as readonly (Buffer | string)[];
    const headers = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
    this.receiver.start(status, headers, statusMessage);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (!this.over && this.reason === undefined) this.receiver.data(chunk);
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.over = true;
    this.receiver.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.over) return;
    this.over = true;
    this.receiver.failed(toUpstreamError(this.reason ?? error, this.origin, this.answered));
  }
}
