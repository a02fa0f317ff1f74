import type { ApiStream } from '../api/api.ts';
import { parseObject, summed, usageOf } from '../api/json.ts';
import { apiErrorEvent } from '../http/api-error.ts';
import { tooLargeToJudge, UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { Exchange } from './exchange.ts';
import type { ReplyHandler } from './reply-handler.ts';
import { blockOutcome } from './synthetic-reply.ts';

/** A second reply that is not a stream, appended to the stream that the client is receiving. */
export class ContinuedReply implements ReplyHandler {
  readonly #exchange: Exchange;
  readonly #clientStream: ApiStream;
  readonly #status: number;
  readonly #abort: (reason: UpstreamError) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    exchange: Exchange,
    clientStream: ApiStream,
    status: number,
    abort: (reason: UpstreamError) => void,
  ) {
    this.#exchange = exchange;
    this.#clientStream = clientStream;
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
    const stream = this.#clientStream;
    const body = this.#status < 300 ? parseObject(Buffer.concat(this.#chunks).toString('utf8')) : undefined;
    const reply = body && exchange.request.api.readReply(body);
    if (body === undefined || reply === undefined)
      return this.failed(
        new UpstreamError('cut', `The upstream answered the retry with status ${String(this.#status)}.`),
      );
    const decision = exchange.decideRetry(body);
    const { usageKey } = exchange.request.api;
    const usage = summed(stream.answer.rawUsage, usageOf(body, usageKey));
    if (decision === undefined) {
      exchange.noteReply(reply.id, () => body, stream.answer.id);
      exchange.client.end(stream.continueWith({ ...body, [usageKey]: usage }));
      return 'passed';
    }
    const synthetic = exchange.blockReply(decision.enforcement);
    exchange.noteSynthetic(synthetic, stream);
    exchange.client.end(stream.finish(synthetic, usage));
    return blockOutcome(decision.enforcement);
  }

  /** The client is receiving a stream already, so the error is an event of it. */
  failed(error: UpstreamError): RequestOutcome {
    const { client, request } = this.#exchange;
    client.write(
      apiErrorEvent(
        request.api.kind,
        error.status,
        `upstream_${error.failure}`,
        error.message,
        this.#clientStream,
      ),
    );
    const outcome = this.#exchange.fail(error, true);
    client.end();
    return outcome;
  }
}
