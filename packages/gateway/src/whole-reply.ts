import type { PureVerdict } from '@loopwatch/detectors';
import type { AnswerTaker } from './answer-taker.ts';
import type { Json } from './api/conversation.ts';
import { parseObject, summed, usageOf } from './api/json.ts';
import type { Exchange } from './exchange.ts';
import { type FlatHeaders, responseHeaders, withoutHeaders } from './http/headers.ts';
import { UpstreamError } from './http/upstream-error.ts';
import { type Judgement, judgeReply } from './judgement.ts';
import type { Outcome } from './metrics.ts';

/** An answer that comes as one JSON document: held back until it is judged, then sent on as it came. */
export class WholeReply implements AnswerTaker {
  private readonly exchange: Exchange;
  private readonly status: number;
  private readonly headers: FlatHeaders;
  private readonly statusMessage: string;
  private chunks: Buffer[] = [];
  private bytes = 0;
  private passing = false;

  constructor(exchange: Exchange, status: number, headers: FlatHeaders, statusMessage: string) {
    this.exchange = exchange;
    this.status = status;
    this.headers = headers;
    this.statusMessage = statusMessage;
  }

  data(chunk: Buffer): void {
    const { client, deps } = this.exchange;
    if (this.passing) {
      client.write(chunk);
      return;
    }
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes <= deps.maxHeldBytes) return;
    this.passing = true;
    this.exchange.unjudged('too_large');
    client.head(this.status, this.headers, this.statusMessage);
    for (const held of this.chunks) client.write(held);
    this.chunks = [];
  }

  async end(): Promise<Outcome> {
    const { exchange } = this;
    const { client, deps, asked } = exchange;
    if (this.passing) {
      client.end();
      return 'passed';
    }
    const body = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks);
    const json = parseObject(body.toString('utf8'));
    const reply = json && asked.api.readReply(json);
    if (json === undefined || reply === undefined) {
      exchange.unjudged('malformed');
      return this.pass(body);
    }
    exchange.noteAnswer(reply.id);
    const judgement = judgeReply(asked.session, reply, deps.now());
    if (judgement === undefined) return this.pass(body);
    if (judgement.demand.action === 'block' || judgement.call === undefined)
      return this.stop(judgement, json, reply.text);
    try {
      const again = await exchange.askAgain(json, { ...judgement, call: judgement.call });
      if ('stop' in again) {
        exchange.answerOwn(exchange.ownAnswer(again.stop), this.headers, usageOf(json));
        return 'limited';
      }
      const { answer, judgement: found } = again;
      const parsed = answer.status < 300 ? parseObject(answer.body.toString('utf8')) : undefined;
      const second = parsed && asked.api.readReply(parsed);
      if (parsed === undefined || second === undefined) {
        client.head(answer.status, responseHeaders(answer.headers));
        client.end(answer.body);
        return 'passed';
      }
      // Both were paid for.
      const usage = summed(usageOf(json), usageOf(parsed));
      const whole = usage === null ? parsed : { ...parsed, usage };
      if (found !== undefined) return this.stop(found, whole, second.text);
      exchange.noteAnswer(second.id);
      const kept = withoutHeaders(responseHeaders(answer.headers), 'content-type', 'content-length');
      client.json(answer.status, whole, kept);
      return 'passed';
    } catch (error) {
      if (error instanceof UpstreamError) return exchange.failed(error);
      throw error;
    }
  }

  failed(error: UpstreamError): Outcome {
    return this.exchange.failed(error);
  }

  private pass(body: Buffer): Outcome {
    this.exchange.client.head(this.status, this.headers, this.statusMessage);
    this.exchange.client.end(body);
    return 'passed';
  }

  private stop({ demand, call }: Judgement, json: Json, text: string): Outcome {
    const own = this.exchange.ownAnswer(demand);
    const kept = call === undefined ? soFar(text, demand.verdict, this.exchange) : '';
    const whole = kept === '' ? own : { ...own, text: `${kept}\n\n${own.text}` };
    this.exchange.answerOwn(whole, this.headers, usageOf(json));
    return demand.verdict.kind === 'limit' ? 'limited' : 'blocked';
  }
}

/** A text up to the unit at which it was found to repeat itself. */
function soFar(text: string, { evidence }: PureVerdict, { asked }: Exchange): string {
  if (!('at' in evidence)) return '';
  const end = evidence.at + 1 - (asked.session.saidUnits - text.length);
  return text.slice(0, Math.max(0, end));
}
