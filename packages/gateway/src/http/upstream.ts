import { Readable } from 'node:stream';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { DecodedResponse } from './decoded-response.ts';
import { throughProxy } from './forward-proxy.ts';
import { type FlatHeaders, MAX_HEAD_BYTES } from './headers.ts';
import type { ResponseReceiver, ResponseSource } from './response.ts';
import { tooLargeToJudge, toUpstreamError, UpstreamError } from './upstream-error.ts';
import { UpstreamTrace } from './upstream-trace.ts';

/** Bytes of a body that are written at once. */
const PIECE_BYTES = 256 * 1024;

/** A request to the upstream. */
export interface UpstreamRequest {
  readonly method: string;
  /** Path at the upstream, with its query. */
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body: Buffer | Readable | null;
}

/** A complete response. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: FlatHeaders;
  readonly body: Buffer;
}

/** Timeouts in milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly responseMs: number;
  readonly stallMs: number;
}

/** The upstream of a gateway, with one connection for each open request. */
export class Upstream {
  readonly origin: string;
  readonly #address: URL;
  readonly #options: Client.Options;
  readonly #pool: Pool;
  /** Why connections failed that had carried a response before. */
  readonly #reused = new WeakSet<Error>();

  /** @param proxy the forward proxy on the way to it */
  constructor(origin: string, { connectMs, responseMs, stallMs }: UpstreamTimeouts, proxy?: URL) {
    this.origin = origin;
    this.#address = new URL(origin);
    const connect = buildConnector({ timeout: connectMs });
    this.#options = {
      connect: this.#connector(
        proxy === undefined ? connect : throughProxy(proxy, this.#address, connectMs, connect),
      ),
      headersTimeout: responseMs,
      bodyTimeout: stallMs,
      maxHeaderSize: MAX_HEAD_BYTES,
      pipelining: 1,
    };
    this.#pool = new Pool(origin, { ...this.#options, connections: null });
  }

  /** Sends a request and decompresses the response. @param limit upper bound of a decompressed response, in bytes */
  sendReadable(request: UpstreamRequest, receiver: ResponseReceiver, limit: number): ResponseSource {
    const response = new DecodedResponse(receiver, limit, this.origin);
    return response.from(this.send(request, response));
  }

  send(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const trace = new UpstreamTrace(this.#address, request);
    const { method, path, body } = request;
    const headers = trace.headers(request.headers);
    const dispatch = (to: Dispatcher): void => {
      try {
        if (!Buffer.isBuffer(body) || body.length <= PIECE_BYTES)
          to.dispatch({ method, path, headers, body }, call);
        else {
          const length = ['content-length', String(body.length)];
          to.dispatch({ method, path, headers: [...headers, ...length], body: inPieces(body) }, call);
        }
      } catch (error) {
        // An invalid header or path.
        call.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
      }
    };
    let canResend = !(body instanceof Readable);
    const call = new UpstreamCall(this.origin, trace.receiver(receiver), (error) => {
      if (!canResend || !this.#reused.has(error)) return false;
      canResend = false;
      // Whatever else is idle may have been closed, too.
      const fresh = new Client(this.origin, this.#options);
      dispatch(fresh);
      void fresh.close();
      return true;
    });
    dispatch(this.#pool);
    return call;
  }

  /** Notes which connections fail after a response: a server may close an idle one just as it is used again. */
  #connector(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      connect(options, (...result) => {
        const [, socket] = result;
        // A proxy, and the other side of an encrypted connection, have answered already.
        const before = socket?.bytesRead ?? 0;
        socket?.on('error', (error: Error) => {
          if (socket.bytesRead > before) this.#reused.add(error);
        });
        callback(...result);
      });
    };
  }

  /**
   * Sends a request and reads the complete response.
   *
   * @param limit upper bound of the body in bytes
   * @throws UpstreamError
   */
  fetch(request: UpstreamRequest, limit: number, signal: AbortSignal): Promise<WholeResponse> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let head: Pick<WholeResponse, 'status' | 'headers'> = { status: 502, headers: [] };
      const receiver: ResponseReceiver = {
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
    await this.#pool.destroy();
  }
}

/** The system copies what is written at once, so a large body is written in pieces. */
function inPieces(body: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      const piece = body.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      this.push(piece.length === 0 ? null : piece);
    },
  });
}

/** One request to the upstream: adapts undici's handler to a receiver. */
export class UpstreamCall implements Dispatcher.DispatchHandler, ResponseSource {
  readonly #origin: string;
  readonly #receiver: ResponseReceiver;
  readonly #resend: (error: Error) => boolean;
  #controller: Dispatcher.DispatchController | undefined;
  #hasResponse = false;
  #isOver = false;
  #reason: Error | undefined;
  /** What arrived in this turn of the event loop. */
  #arrived: Buffer[] = [];

  /** @param resend sends the request again, if it may, after it failed without a response */
  constructor(origin: string, receiver: ResponseReceiver, resend: (error: Error) => boolean) {
    this.#origin = origin;
    this.#receiver = receiver;
    this.#resend = resend;
  }

  /** Aborts the request; the receiver gets a failure. No effect once the response is complete. */
  abort(reason: UpstreamError = new UpstreamError('aborted', 'The request was aborted.')): void {
    if (this.#isOver) return;
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    if (status < 200) return;
    this.#hasResponse = true;
    const raw = (controller.rawHeaders ?? []) as readonly (Buffer | string)[];
    const headers = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
    this.#receiver.start(status, headers, statusMessage);
  }

  /** A read of the socket often holds many events, each as a piece of its own: the receiver gets them at once. */
  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#arrived.push(chunk) === 1) process.nextTick(() => this.#deliver());
  }

  onResponseEnd(): void {
    this.#deliver();
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#reason === undefined) this.#receiver.end();
    else this.#receiver.failed(toUpstreamError(this.#reason, this.#origin, true));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#deliver();
    if (this.#isOver) return;
    if (!this.#hasResponse && this.#reason === undefined && this.#resend(error)) return;
    this.#isOver = true;
    this.#receiver.failed(toUpstreamError(this.#reason ?? error, this.#origin, this.#hasResponse));
  }

  #deliver(): void {
    const [first, ...others] = this.#arrived;
    this.#arrived = [];
    if (first === undefined || this.#isOver || this.#reason !== undefined) return;
    this.#receiver.data(others.length === 0 ? first : Buffer.concat([first, ...others]));
  }
}
