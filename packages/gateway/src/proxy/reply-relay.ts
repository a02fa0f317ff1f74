import { codingOf } from '../http/content-coding.ts';
import { type FlatHeaders, headerOf, responseHeaders, withoutHeaders } from '../http/headers.ts';
import type { ResponseReceiver, ResponseSource } from '../http/response.ts';
import type { UpstreamRequest } from '../http/upstream.ts';
import type { UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import { type Continuation, ContinuedReply } from './continued-reply.ts';
import type { Exchange } from './exchange.ts';
import { type ReplyForm, type ReplyHandler, SniffedReply, UnchangedReply } from './reply-handler.ts';
import { StreamedReply } from './streamed-reply.ts';
import { WholeReply } from './whole-reply.ts';

/** A compressed reply may expand to this many times `gateway.max_held_bytes`. */
const MAX_EXPANSION = 16;

/** Relays a reply from the upstream to the client; its status and headers decide who handles the body. */
export class ReplyRelay implements ResponseReceiver {
  readonly #exchange: Exchange;
  /** The stream that a second reply continues; undefined for the first reply. */
  readonly #continuation: Continuation | undefined;
  #handler: ReplyHandler | undefined;
  #resolve: (outcome: RequestOutcome | Promise<RequestOutcome>) => void = () => undefined;
  #source: ResponseSource | undefined;

  constructor(exchange: Exchange, continuation?: Continuation) {
    this.#exchange = exchange;
    this.#continuation = continuation;
  }

  run(request: UpstreamRequest): Promise<RequestOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { deps, client } = this.#exchange;
      this.#source = deps.upstream.sendReadable(request, this, MAX_EXPANSION * deps.maxHeldBytes);
      client.feedFrom(this.#source);
    });
  }

  start(status: number, raw: FlatHeaders, statusMessage: string): void {
    this.#handler = this.#handlerFor(status, responseHeaders(raw), statusMessage);
  }

  data(chunk: Buffer): void {
    this.#handler?.data(chunk);
  }

  end(): void {
    if (this.#handler !== undefined) this.#resolve(this.#handler.end());
  }

  failed(error: UpstreamError): void {
    if (this.#handler !== undefined) this.#resolve(this.#handler.failed(error));
    else if (this.#continuation === undefined) this.#resolve(this.#exchange.fail(error));
    else this.#resolve(this.#continuedReply(this.#continuation, error.status).failed(error));
  }

  #handlerFor(status: number, headers: FlatHeaders, statusMessage: string): ReplyHandler {
    const exchange = this.#exchange;
    const continuation = this.#continuation;
    const type = (headerOf(headers, 'content-type') ?? '').toLowerCase();
    const { framing } = exchange.request.api;
    const isStream = type.includes(framing.type);
    const isReadable = codingOf(headerOf(headers, 'content-encoding')) === 'identity';
    if (continuation !== undefined)
      return status < 300 && isReadable && isStream
        ? this.#streamedReply()
        : this.#continuedReply(continuation, status);
    const handlerOf = (form: ReplyForm): ReplyHandler => {
      if (form === 'json') return new WholeReply(exchange, status, headers, statusMessage);
      // A stream can end early, or continue with a second reply.
      const kept = form === 'stream' ? withoutHeaders(headers, 'content-length') : headers;
      exchange.client.head(status, kept, statusMessage);
      return form === 'stream' ? this.#streamedReply() : new UnchangedReply(exchange, status < 300);
    };
    if (status >= 300) return handlerOf('other');
    if (!isReadable) {
      exchange.noteUnjudged('encoded');
      return handlerOf('other');
    }
    if (isStream && framing.isTold) return handlerOf('stream');
    if (type.includes('json') && !exchange.request.conversation.stream) return handlerOf('json');
    return new SniffedReply(framing, (form) => {
      if (form === 'other') exchange.noteUnjudged('malformed');
      return handlerOf(form);
    });
  }

  #streamedReply(): StreamedReply {
    return new StreamedReply({
      exchange: this.#exchange,
      abort: () => this.#source?.abort(),
      retry: (request, continuation) => new ReplyRelay(this.#exchange, continuation).run(request),
      clientStream: this.#continuation?.stream,
    });
  }

  #continuedReply(continuation: Continuation, status: number): ContinuedReply {
    return new ContinuedReply(this.#exchange, continuation, status, (reason) => this.#source?.abort(reason));
  }
}
