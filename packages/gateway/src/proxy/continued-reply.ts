import type { ApiStream } from '../api/api.ts';
import type { Json } from '../api/conversation.ts';
import { parseObject, summed, usageOf } from '../api/json.ts';
import { failedRetry, tooLargeToJudge, type UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { Enforcement } from '../session/enforcement.ts';
import type { Exchange } from './exchange.ts';
import type { CallDecision } from './reply-decision.ts';
import type { ReplyHandler } from './reply-handler.ts';
import { blockOutcome } from './synthetic-reply.ts';

/** A stream that a client is receiving, and why the model is asked again. */
export interface Continuation {
  readonly stream: ApiStream;
  readonly decision: CallDecision;
}

/** A second reply that is not a stream, appended to the stream that the client is receiving. */
export class ContinuedReply implements ReplyHandler {
  readonly #exchange: Exchange;
  readonly #continuation: Continuation;
  readonly #status: number;
  readonly #abort: (reason: UpstreamError) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    exchange: Exchange,
    continuation: Continuation,
    status: number,
    abort: (reason: UpstreamError) => void,
  ) {
    this.#exchange = exchange;
    this.#continuation = continuation;
    this.#status = status;
    this.#abort = abort;
  }

  data(chunk: Buffer): void {
    const { upstream, maxHeldBytes } = this.#exchange.deps;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > maxHeldBytes) this.#abort(tooLargeToJudge(upstream.origin));
  }

  end(): RequestOutcome {
    const exchange = this.#exchange;
    const { stream } = this.#continuation;
    const body = this.#status < 300 ? parseObject(Buffer.concat(this.#chunks).toString('utf8')) : undefined;
    const reply = body && exchange.request.api.readReply(body);
    if (body === undefined || reply === undefined) return this.failed(failedRetry(this.#status));
    const decision = exchange.decideRetry(body);
    const { usageKey } = exchange.request.api;
    const usage = summed(stream.answer.rawUsage, usageOf(body, usageKey));
    if (decision === undefined) {
      exchange.noteReply(reply.id, () => body, stream.answer.id);
      exchange.client.end(stream.continueWith({ ...body, [usageKey]: usage }));
      return 'passed';
    }
    return this.#block(decision.enforcement, usage);
  }

  failed(error: UpstreamError): RequestOutcome {
    const exchange = this.#exchange;
    if (exchange.client.signal.aborted) return exchange.fail(error);
    const { stream, decision } = this.#continuation;
    return this.#block(exchange.blockRetry(decision, error), stream.answer.rawUsage);
  }

  #block(enforcement: Enforcement, usage: Json | null): RequestOutcome {
    const exchange = this.#exchange;
    const { stream } = this.#continuation;
    const reply = exchange.blockReply(enforcement);
    exchange.noteSynthetic(reply, stream);
    exchange.client.end(stream.finish(reply, usage));
    return blockOutcome(enforcement);
  }
}
