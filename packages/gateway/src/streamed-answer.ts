import type { AnswerTaker } from './answer-taker.ts';
import type { ApiStream } from './api/api.ts';
import { summed } from './api/json.ts';
import type { Exchange } from './exchange.ts';
import { apiErrorEvent } from './http/api-error.ts';
import type { UpstreamRequest } from './http/upstream.ts';
import type { UpstreamError } from './http/upstream-error.ts';
import type { CallJudgement, Judgement } from './judgement.ts';
import type { Outcome } from './metrics.ts';
import type { Demand } from './session/demand.ts';
import { SseCutter, type SseEvent } from './stream/sse.ts';

/** What a streamed answer needs of its surroundings. */
export interface StreamedAnswerOptions {
  readonly exchange: Exchange;
  /** Leaves the upstream. */
  readonly abort: () => void;
  /** Asks once more: the answer goes on with the stream that the client is getting. */
  readonly again: (request: UpstreamRequest, told: ApiStream) => Promise<Outcome>;
  /** The stream that this answer goes on with; undefined: it is the first. */
  readonly earlier: ApiStream | undefined;
}

/**
 * An answer that comes as a stream of events. Text goes on as it comes; what belongs to a tool call is held back until the
 * call is complete and judged.
 */
export class StreamedAnswer implements AnswerTaker {
  private readonly options: StreamedAnswerOptions;
  private readonly exchange: Exchange;
  private readonly stream: ApiStream;
  /** What the client has got. */
  private readonly told: ApiStream;
  private readonly cutter: SseCutter;
  /** Events held back; undefined while events go on. */
  private held: SseEvent[] | undefined;
  private heldBytes = 0;
  /** How many calls were judged. */
  private judged = 0;
  /** How many calls the client has got. */
  private released = 0;
  /** No call is judged any more: all were, or they are too large. */
  private unheld = false;
  /** Bytes go on as they come, without a look. */
  private blind = false;
  /** A call that must not be made; the answer's end is waited for, as long as nothing but its usage comes. */
  private found: CallJudgement | undefined;
  /** The rest of the upstream's answer is of no interest any more. */
  private closing: Promise<Outcome> | undefined;
  private out: (Buffer | string)[] = [];

  constructor(options: StreamedAnswerOptions) {
    const { exchange, earlier } = options;
    this.options = options;
    this.exchange = exchange;
    this.stream = exchange.asked.api.stream(exchange.asked.body);
    this.told = earlier ?? this.stream;
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
    if (!this.isClosing()) this.flush();
  }

  async end(): Promise<Outcome> {
    const { client, asked, deps } = this.exchange;
    if (!this.blind && !this.isClosing()) this.judgeAll();
    if (this.closing !== undefined) return this.closing;
    if (!this.blind) {
      if (this.options.earlier === undefined) this.out.push(this.cutter.rest());
      this.flush();
      asked.session.answered(this.stream, deps.now());
    }
    client.end();
    return 'passed';
  }

  async failed(error: UpstreamError): Promise<Outcome> {
    this.stopFound();
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
    if (this.held === undefined && !this.blind && this.options.earlier === undefined)
      client.write(this.cutter.rest());
    return this.exchange.failed(error);
  }

  private take(event: SseEvent): void {
    const { asked, deps } = this.exchange;
    const { text, thought, holds, ends } = this.stream.read(event);
    // What is held back is about calls before this event.
    if (this.held !== undefined && this.stream.completeCalls > this.judged)
      this.judge(this.stream.completeCalls);
    if (this.found !== undefined) {
      if (ends === true || holds === true || text !== undefined || thought !== undefined) this.stopFound();
      return;
    }
    if (holds === true && !this.unheld && deps.enforceStreams) this.held ??= [];
    if (this.held === undefined) this.pass(event);
    else this.hold(event);
    const demand =
      asked.session.said('thought', thought ?? '', deps.now()) ??
      asked.session.said('content', text ?? '', deps.now());
    if (demand !== undefined && deps.enforceStreams) this.stop({ demand });
    else if (ends === true) this.judgeAll();
  }

  private pass(event: SseEvent): void {
    if (this.told !== this.stream) {
      this.out.push(this.told.continued(event));
      return;
    }
    this.stream.passed(event);
    this.out.push(event.raw);
  }

  private hold(event: SseEvent): void {
    this.held?.push(event);
    this.heldBytes += event.raw.length;
    if (this.heldBytes <= this.exchange.deps.maxHeldBytes) return;
    this.exchange.unjudged('too_large');
    this.unheld = true;
    this.release();
  }

  private goBlind(): void {
    if (this.found !== undefined) {
      this.stopFound();
      return;
    }
    this.exchange.unjudged('too_large');
    this.release();
    this.out.push(this.cutter.rest());
    this.blind = true;
  }

  private release(): void {
    for (const event of this.held ?? []) this.pass(event);
    this.held = undefined;
    this.heldBytes = 0;
    this.released = this.judged;
  }

  private flush(): void {
    const [first] = this.out;
    if (first === undefined) return;
    const { client } = this.exchange;
    if (this.out.length === 1) client.write(first);
    else
      client.write(
        Buffer.concat(this.out.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
      );
    this.out = [];
  }

  /** No call is to come any more. */
  private judgeAll(): void {
    if (!this.unheld) {
      this.unheld = true;
      this.judge(this.stream.calls.length);
    }
    if (this.found !== undefined) this.stopFound();
    else this.exchange.noteAnswer(this.stream.id, this.told.id);
  }

  /** Judges the calls up to the first that must not be made; where all may, they go on. */
  private judge(count: number): void {
    const { asked, deps } = this.exchange;
    for (const [index, call] of this.stream.calls.slice(0, count).entries()) {
      if (index < this.judged) continue;
      this.judged += 1;
      const demand = asked.session.called(call, deps.now());
      // A chance is given once a request: what would earn another one passes, and is watched.
      const passes = demand?.action === 'chance' && this.options.earlier !== undefined;
      if (demand === undefined || passes || !deps.enforceStreams) continue;
      this.found = { demand, call: { index, call } };
      return;
    }
    this.release();
  }

  private isClosing(): boolean {
    return this.closing !== undefined;
  }

  private stopFound(): void {
    if (this.found !== undefined && this.closing === undefined) this.stop(this.found);
  }

  private stop(judgement: Judgement): void {
    this.flush();
    this.held = undefined;
    const { asked, deps } = this.exchange;
    asked.session.answered(this.stream, deps.now());
    this.closing = this.close(judgement);
    this.options.abort();
  }

  private async close({ demand, call }: Judgement): Promise<Outcome> {
    if (demand.action === 'block' || call === undefined) return this.finish(demand);
    return this.askAgain({ demand, call });
  }

  private askAgain(judgement: CallJudgement): Promise<Outcome> | Outcome {
    const reply = this.stream.reply(this.unheld ? this.stream.calls.length : judgement.call.index + 1);
    const again = this.exchange.again(reply, judgement, this.released);
    return 'stop' in again ? this.finish(again.stop) : this.options.again(again.request, this.told);
  }

  private finish(demand: Demand): Outcome {
    const own = this.exchange.ownAnswer(demand);
    this.exchange.noteOwn(own, this.told);
    const { rawUsage } = this.stream;
    const usage = this.told === this.stream ? rawUsage : summed(this.told.rawUsage, rawUsage);
    this.exchange.client.end(this.told.finish(own, usage));
    return demand.verdict.kind === 'limit' ? 'limited' : 'blocked';
  }
}
