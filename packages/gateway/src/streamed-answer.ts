import type { AnswerTaker } from './answer-taker.ts';
import type { ApiStream } from './api/api.ts';
import { parseObject } from './api/json.ts';
import type { Exchange } from './exchange.ts';
import { apiErrorEvent } from './http/api-error.ts';
import { UpstreamError } from './http/upstream-error.ts';
import { type Judgement, judgeCalls } from './judgement.ts';
import type { Outcome } from './metrics.ts';
import type { Demand } from './session/gateway-session.ts';
import { SseCutter, type SseEvent } from './stream/sse.ts';

/**
 * An answer that comes as a stream of events. Text goes on as it comes; from the first part of a tool call on, everything
 * is held back until all calls of the answer are complete and judged, so that none is made of an answer that is stopped.
 */
export class StreamedAnswer implements AnswerTaker {
  private readonly exchange: Exchange;
  private readonly abort: () => void;
  private readonly stream: ApiStream;
  private readonly cutter: SseCutter;
  /** Events held back; undefined while events go on. */
  private held: SseEvent[] | undefined;
  private heldBytes = 0;
  private judged = false;
  /** Bytes go on as they come, without a look. */
  private blind = false;
  /** The rest of the upstream's answer is of no interest any more. */
  private closing: Promise<Outcome> | undefined;
  private out: Buffer[] = [];

  constructor(exchange: Exchange, abort: () => void) {
    this.exchange = exchange;
    this.abort = abort;
    this.stream = exchange.asked.api.stream(exchange.asked.body);
    this.cutter = new SseCutter(exchange.deps.maxHeldBytes);
  }

  data(chunk: Buffer): void {
    if (this.closing !== undefined) return;
    if (this.blind) {
      this.exchange.client.write(chunk);
      return;
    }
    for (const event of this.cutter.take(chunk)) if (!this.isClosing()) this.take(event);
    if (this.isClosing()) return;
    if (this.cutter.isTooLarge) this.goBlind();
    this.flush();
  }

  async end(): Promise<Outcome> {
    const { client, asked, deps } = this.exchange;
    if (!this.blind && !this.isClosing()) this.judge();
    if (this.closing !== undefined) return this.closing;
    if (!this.blind) {
      this.out.push(this.cutter.rest());
      this.flush();
      asked.session.answered(this.stream, deps.now());
    }
    client.end();
    return 'passed';
  }

  async failed(error: UpstreamError): Promise<Outcome> {
    if (this.closing !== undefined) return this.closing;
    const { client, asked } = this.exchange;
    if (error.failure === 'stalled' && !client.signal.aborted) {
      // The connection to the client is sound: it can be told.
      client.write(apiErrorEvent(asked.api.kind, error.status, 'upstream_stalled', error.message));
      const outcome = this.exchange.failed(error, true);
      client.end();
      return outcome;
    }
    // What is held back is not complete; whoever got it could not use it.
    if (this.held === undefined && !this.blind) client.write(this.cutter.rest());
    return this.exchange.failed(error);
  }

  private take(event: SseEvent): void {
    const { asked, deps } = this.exchange;
    const { text, thought, holds, ends } = this.stream.read(event);
    if (holds === true && !this.judged && deps.enforceStreams) this.held ??= [];
    if (this.held === undefined) this.pass(event);
    else this.hold(event);
    const demand =
      asked.session.said('thought', thought ?? '', deps.now()) ??
      asked.session.said('content', text ?? '', deps.now());
    if (demand !== undefined && deps.enforceStreams) this.stop({ demand });
    else if (ends === true) this.judge();
  }

  private pass(event: SseEvent): void {
    this.stream.passed(event);
    this.out.push(event.raw);
  }

  private hold(event: SseEvent): void {
    this.held?.push(event);
    this.heldBytes += event.raw.length;
    if (this.heldBytes <= this.exchange.deps.maxHeldBytes) return;
    this.exchange.unjudged('too_large');
    this.judged = true;
    this.release();
  }

  private goBlind(): void {
    this.exchange.unjudged('too_large');
    this.release();
    this.out.push(this.cutter.rest());
    this.blind = true;
  }

  private release(): void {
    for (const event of this.held ?? []) this.pass(event);
    this.held = undefined;
    this.heldBytes = 0;
  }

  private flush(): void {
    const [first] = this.out;
    if (first === undefined) return;
    this.exchange.client.write(this.out.length === 1 ? first : Buffer.concat(this.out));
    this.out = [];
  }

  /** All calls are there: they go on together, or none of them does. */
  private judge(): void {
    this.exchange.noteAnswer(this.stream.id);
    if (this.judged) return;
    this.judged = true;
    const { asked, deps } = this.exchange;
    const judgement = judgeCalls(asked.session, this.stream.calls, deps.now());
    if (judgement === undefined || !deps.enforceStreams) this.release();
    else this.stop(judgement);
  }

  private isClosing(): boolean {
    return this.closing !== undefined;
  }

  private stop(judgement: Judgement): void {
    this.flush();
    this.held = undefined;
    const { asked, deps } = this.exchange;
    asked.session.answered(this.stream, deps.now());
    this.closing = this.close(judgement);
    this.abort();
  }

  private async close({ demand, call }: Judgement): Promise<Outcome> {
    if (demand.action === 'block' || call === undefined) return this.finish(demand);
    try {
      const again = await this.exchange.askAgain(this.stream.reply(), { demand, call });
      if ('stop' in again) return this.finish(again.stop);
      if (again.judgement !== undefined) return this.finish(again.judgement.demand);
      const { status, body } = again.answer;
      const reply = status < 300 ? parseObject(body.toString('utf8')) : undefined;
      if (reply === undefined || this.exchange.asked.api.readReply(reply) === undefined)
        throw new UpstreamError(
          'cut',
          `The upstream answered with status ${String(status)} when asked again.`,
        );
      this.exchange.client.end(this.stream.continueWith(reply));
      return 'passed';
    } catch (error) {
      const { client, asked } = this.exchange;
      if (!(error instanceof UpstreamError)) throw error;
      client.write(apiErrorEvent(asked.api.kind, error.status, `upstream_${error.failure}`, error.message));
      const outcome = this.exchange.failed(error, true);
      client.end();
      return outcome;
    }
  }

  private finish(demand: Demand): Outcome {
    const own = this.exchange.ownAnswer(demand);
    this.exchange.noteOwn(own);
    this.exchange.client.end(this.stream.finish(own));
    return demand.verdict.kind === 'limit' ? 'limited' : 'blocked';
  }
}
