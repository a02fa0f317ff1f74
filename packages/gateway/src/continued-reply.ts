import type { AnswerTaker } from './answer-taker.ts';
import type { ApiStream } from './api/api.ts';
import { parseObject, summed, usageOf } from './api/json.ts';
import type { Exchange } from './exchange.ts';
import { apiErrorEvent } from './http/api-error.ts';
import { tooLargeToJudge, UpstreamError } from './http/upstream-error.ts';
import type { Outcome } from './metrics.ts';

/** An answer that is no stream, and goes on with one all the same; or why there is none. */
export class ContinuedReply implements AnswerTaker {
  private readonly exchange: Exchange;
  private readonly told: ApiStream;
  private readonly status: number;
  private readonly abort: (reason: UpstreamError) => void;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(exchange: Exchange, told: ApiStream, status: number, abort: (reason: UpstreamError) => void) {
    this.exchange = exchange;
    this.told = told;
    this.status = status;
    this.abort = abort;
  }

  data(chunk: Buffer): void {
    const { upstream, maxHeldBytes } = this.exchange.deps;
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes > maxHeldBytes) this.abort(tooLargeToJudge(upstream.origin));
  }

  end(): Outcome {
    const { exchange, told, status } = this;
    const body = status < 300 ? parseObject(Buffer.concat(this.chunks).toString('utf8')) : undefined;
    const reply = body && exchange.asked.api.readReply(body);
    if (body === undefined || reply === undefined)
      return this.failed(
        new UpstreamError('cut', `The upstream answered with status ${String(status)} when asked again.`),
      );
    const judgement = exchange.judgeSecond(body);
    const usage = summed(told.rawUsage, usageOf(body));
    if (judgement === undefined) {
      exchange.noteAnswer(reply.id, told.id);
      exchange.client.end(told.continueWith({ ...body, usage }));
      return 'passed';
    }
    const own = exchange.ownAnswer(judgement.demand);
    exchange.noteOwn(own, told);
    exchange.client.end(told.finish(own, usage));
    return judgement.demand.verdict.kind === 'limit' ? 'limited' : 'blocked';
  }

  /** The client is getting an answer already: it is told in its stream. */
  failed(error: UpstreamError): Outcome {
    const { client, asked } = this.exchange;
    client.write(apiErrorEvent(asked.api.kind, error.status, `upstream_${error.failure}`, error.message));
    const outcome = this.exchange.failed(error, true);
    client.end();
    return outcome;
  }
}
