import type { AnswerTaker } from './answer-taker.ts';
import type { ApiStream } from './api/api.ts';
import { ContinuedReply } from './continued-reply.ts';
import type { Exchange } from './exchange.ts';
import type { AnswerReceiver, AnswerSource } from './http/answer.ts';
import { codingOf } from './http/decoders.ts';
import { type FlatHeaders, headerOf, responseHeaders } from './http/headers.ts';
import type { UpstreamRequest } from './http/upstream.ts';
import type { UpstreamError } from './http/upstream-error.ts';
import type { Outcome } from './metrics.ts';
import { type AnswerForm, SniffedAnswer } from './sniffed-answer.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { WholeReply } from './whole-reply.ts';

/** A compressed answer may be this many times as large as what may be held of one. */
const MAX_EXPANSION = 16;

/** An answer on its way from the upstream to the client: how it is treated follows from its head. */
export class AnswerRelay implements AnswerReceiver {
  private readonly exchange: Exchange;
  /** The stream that the answer goes on with; undefined: it is the first. */
  private readonly earlier: ApiStream | undefined;
  private taker: AnswerTaker | undefined;
  private resolve: (outcome: Outcome | Promise<Outcome>) => void = () => undefined;
  private call: AnswerSource | undefined;

  constructor(exchange: Exchange, earlier?: ApiStream) {
    this.exchange = exchange;
    this.earlier = earlier;
  }

  run(request: UpstreamRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      const { deps, client } = this.exchange;
      this.call = deps.upstream.sendReadable(request, this, MAX_EXPANSION * deps.maxHeldBytes);
      client.feedFrom(this.call);
    });
  }

  start(status: number, raw: FlatHeaders, statusMessage: string): void {
    const headers = responseHeaders(raw);
    this.taker = this.takerFor(status, headers, statusMessage);
  }

  data(chunk: Buffer): void {
    this.taker?.data(chunk);
  }

  end(): void {
    if (this.taker !== undefined) this.resolve(this.taker.end());
  }

  failed(error: UpstreamError): void {
    const { earlier, exchange } = this;
    if (this.taker !== undefined) this.resolve(this.taker.failed(error));
    else if (earlier === undefined) this.resolve(exchange.failed(error));
    else this.resolve(this.continuedReply(earlier, error.status).failed(error));
  }

  private streamed(): StreamedAnswer {
    return new StreamedAnswer({
      exchange: this.exchange,
      abort: () => this.call?.abort(),
      again: (request, told) => new AnswerRelay(this.exchange, told).run(request),
      earlier: this.earlier,
    });
  }

  private continuedReply(earlier: ApiStream, status: number): ContinuedReply {
    return new ContinuedReply(this.exchange, earlier, status, (reason) => this.call?.abort(reason));
  }

  private takerFor(status: number, headers: FlatHeaders, statusMessage: string): AnswerTaker {
    const { exchange, earlier } = this;
    const type = (headerOf(headers, 'content-type') ?? '').toLowerCase();
    const isStream = type.includes('event-stream');
    const isRead = codingOf(headerOf(headers, 'content-encoding')) === 'identity';
    if (earlier !== undefined)
      return status < 300 && isRead && isStream ? this.streamed() : this.continuedReply(earlier, status);
    const begin = (form: AnswerForm): AnswerTaker => {
      if (form === 'json') return new WholeReply(exchange, status, headers, statusMessage);
      exchange.client.head(status, headers, statusMessage);
      return form === 'stream' ? this.streamed() : new Untouched(exchange, status < 300);
    };
    if (status >= 300) return begin('other');
    if (!isRead) {
      exchange.unjudged('encoded');
      return begin('other');
    }
    if (isStream) return begin('stream');
    if (type.includes('json') && !exchange.asked.conversation.stream) return begin('json');
    return new SniffedAnswer((form) => {
      if (form === 'other') exchange.unjudged('malformed');
      return begin(form);
    });
  }
}

/** An answer that goes on as it is: an error of the upstream's, or one that cannot be read. */
class Untouched implements AnswerTaker {
  private readonly exchange: Exchange;
  private readonly isAnswer: boolean;

  constructor(exchange: Exchange, isAnswer: boolean) {
    this.exchange = exchange;
    this.isAnswer = isAnswer;
  }

  data(chunk: Buffer): void {
    this.exchange.client.write(chunk);
  }

  end(): Outcome {
    const { client, asked } = this.exchange;
    client.end();
    // After an error the same question may come again.
    if (!this.isAnswer) asked.session.lost();
    return 'passed';
  }

  failed(error: UpstreamError): Outcome {
    return this.exchange.failed(error);
  }
}
