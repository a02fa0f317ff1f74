import type { AnswerDelta, ToolCall } from '@loopwatch/formats/wire';
import type { ApiStream } from '../api/api.ts';
import type { EventCutter } from '../api/event-cutter.ts';
import { summed } from '../api/json.ts';
import type { StreamEvent } from '../api/stream-event.ts';
import { apiErrorEvent } from '../http/api-error.ts';
import type { UpstreamRequest } from '../http/upstream.ts';
import type { UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { Enforcement } from '../session/enforcement.ts';
import type { Continuation } from './continued-reply.ts';
import type { Exchange } from './exchange.ts';
import { PendingEvents } from './pending-events.ts';
import { type CallDecision, decideChoices, noteBlocked, type ReplyDecision } from './reply-decision.ts';
import type { ReplyHandler } from './reply-handler.ts';
import { blockOutcome } from './synthetic-reply.ts';

export interface StreamedReplyOptions {
  readonly exchange: Exchange;
  /** Closes the upstream response. */
  readonly abort: () => void;
  /** Sends a second request; its reply continues the stream that the client is receiving. */
  readonly retry: (request: UpstreamRequest, continuation: Continuation) => Promise<RequestOutcome>;
  /** The stream that this reply continues; undefined for the first reply. */
  readonly clientStream: ApiStream | undefined;
}

/**
 * A reply that is a stream of events. Text is forwarded at once; the events of a tool call are held back until the call is
 * complete and judged.
 */
export class StreamedReply implements ReplyHandler {
  readonly #options: StreamedReplyOptions;
  readonly #exchange: Exchange;
  /** This reply. */
  readonly #stream: ApiStream;
  /** What the client receives: this reply, or the first one, which this reply continues. */
  readonly #clientStream: ApiStream;
  readonly #cutter: EventCutter;
  /** Events held back; undefined while events are forwarded at once. */
  #held: StreamEvent[] | undefined;
  #heldBytes = 0;
  #judgedCalls = 0;
  #sentCalls = 0;
  /** No further call is held back: all were judged, or they are too large. */
  #isReleased = false;
  /** Bytes are forwarded unparsed. */
  #isPassthrough = false;
  /**
   * A call that must not pass. The end of the reply is awaited for its usage, unless the model continues with more
   * output.
   */
  #blockedCall: CallDecision | undefined;
  /** Choices that were ended, by their index. */
  readonly #refused = new Map<number, ReplyDecision>();
  /** Set once the rest of the upstream's reply is ignored. */
  #closing: Promise<RequestOutcome> | undefined;
  readonly #pending: PendingEvents;

  constructor(options: StreamedReplyOptions) {
    const { exchange, clientStream } = options;
    this.#options = options;
    this.#exchange = exchange;
    this.#stream = exchange.request.api.stream(exchange.request.body);
    this.#clientStream = clientStream ?? this.#stream;
    this.#pending = new PendingEvents((event) => this.#stream.markSent(event));
    this.#cutter = exchange.request.api.framing.cutter(exchange.deps.maxHeldBytes);
  }

  data(chunk: Buffer): void {
    if (this.#closing !== undefined) return;
    if (this.#isPassthrough) {
      this.#exchange.client.write(chunk);
      return;
    }
    for (const event of this.#cutter.take(chunk)) if (!this.#isClosing()) this.#onEvent(event);
    this.#judgeText();
    if (this.#isClosing()) return;
    if (this.#cutter.isTooLarge) this.#startPassthrough();
    if (!this.#isClosing()) this.#flush();
  }

  async end(): Promise<RequestOutcome> {
    const { client, request, deps } = this.#exchange;
    if (!this.#isPassthrough && !this.#isClosing()) this.#judgeAll();
    if (this.#closing !== undefined) return this.#closing;
    if (!this.#isPassthrough) {
      if (!this.#isRetry) this.#pending.push(this.#cutter.rest());
      this.#flush();
      request.session.onReplyEnd(this.#stream.answer, deps.now());
      for (const decision of this.#refused.values()) noteBlocked(request.session, decision, deps.now());
    }
    client.end();
    const [refused] = this.#refused.values();
    return refused === undefined ? 'passed' : blockOutcome(refused.enforcement);
  }

  async failed(error: UpstreamError): Promise<RequestOutcome> {
    this.#stopAtBlockedCall();
    if (this.#closing !== undefined) return this.#closing;
    const { client, request } = this.#exchange;
    if (error.failure === 'stalled' && !client.signal.aborted) {
      // The connection to the client is intact, so the error can be an event.
      client.write(
        apiErrorEvent(request.api.kind, error.status, 'upstream_stalled', error.message, this.#clientStream),
      );
      const outcome = this.#exchange.fail(error, true);
      client.end();
      return outcome;
    }
    // Held events are of an incomplete call, which is of no use to the client.
    if (this.#held === undefined && !this.#isPassthrough && !this.#isRetry) client.write(this.#cutter.rest());
    return this.#exchange.fail(error);
  }

  get #isRetry(): boolean {
    return this.#options.clientStream !== undefined;
  }

  #onEvent(event: StreamEvent): void {
    if (event.isKeepAlive) {
      // It must not wait for a call: the client may have a timeout.
      if (event.data === '') this.#pending.push(event.raw);
      else this.#forward(event);
      return;
    }
    const { request, deps } = this.#exchange;
    const { answer } = this.#stream;
    const { text, thought, isOfCall, isEnd }: AnswerDelta =
      event.data === '[DONE]' ? { isEnd: true } : answer.read(event.json ?? {});
    if (isOfCall === true || isEnd === true || thought !== undefined) {
      this.#judgeText();
      if (this.#isClosing()) return;
    }
    // Held events are of calls before this event. Calls that the API runs are not held, but judged as well.
    const isJudged = this.#isReleased || this.#blockedCall !== undefined || answer.choices !== undefined;
    if (!isJudged && answer.completeCalls > this.#judgedCalls) this.#judge(answer.completeCalls);
    if (this.#blockedCall !== undefined) {
      if (isEnd === true || isOfCall === true || text !== undefined || thought !== undefined)
        this.#stopAtBlockedCall();
      return;
    }
    if (isOfCall === true && !this.#isReleased && deps.enforceStreams) this.#held ??= [];
    if (this.#held === undefined) this.#forward(event);
    else this.#hold(event);
    const enforcement = request.session.onText('thought', thought ?? '', deps.now());
    if (enforcement !== undefined && deps.enforceStreams) this.#stopAtText(enforcement);
    if (text !== undefined && !this.#isClosing()) {
      this.#pending.addText(text);
      if (this.#held !== undefined || isEnd === true || answer.choices !== undefined) this.#judgeText();
    }
    if (this.#closing === undefined && isEnd === true) this.#judgeAll();
  }

  /** Judges the text of all pending events: an event of a stream often has no more than a word. */
  #judgeText(): void {
    const { text } = this.#pending;
    if (text === '' || this.#isClosing()) return;
    const { request, deps } = this.#exchange;
    const { session } = request;
    const enforcement = session.onText('content', text, deps.now());
    if (enforcement !== undefined && deps.enforceStreams) {
      this.#pending.endAtLoop(enforcement.verdict, session.textUnits);
      this.#stopAtText(enforcement);
    }
    this.#pending.clearText();
  }

  /** A looping text ends the reply, or its first choice if it has several. */
  #stopAtText(enforcement: Enforcement): void {
    if (this.#stream.answer.choices === undefined) this.#stop({ enforcement });
    else this.#refuse(0, { enforcement });
  }

  /** Ends one of several choices; the others go on. */
  #refuse(choice: number, decision: ReplyDecision): void {
    if (this.#refused.has(choice)) return;
    this.#refused.set(choice, decision);
    const reply = this.#exchange.blockReply(decision.enforcement);
    this.#pending.markSent();
    this.#pending.push(this.#stream.refuse?.(choice, reply) ?? '');
  }

  #forward(event: StreamEvent): void {
    if (this.#refused.size > 0) {
      this.#pending.push(this.#stream.remaining?.(event) ?? event.raw);
      return;
    }
    if (this.#clientStream !== this.#stream) {
      this.#pending.push(this.#clientStream.continueEvent(event));
      return;
    }
    this.#pending.push(event);
  }

  #hold(event: StreamEvent): void {
    this.#held?.push(event);
    this.#heldBytes += event.raw.length;
    if (this.#heldBytes <= this.#exchange.deps.maxHeldBytes) return;
    this.#exchange.noteUnjudged('too_large');
    this.#isReleased = true;
    this.#release();
  }

  /** Called for an event too large to be parsed. */
  #startPassthrough(): void {
    if (this.#blockedCall !== undefined) {
      this.#stopAtBlockedCall();
      return;
    }
    this.#exchange.noteUnjudged('too_large');
    this.#release();
    this.#pending.push(this.#cutter.rest());
    this.#isPassthrough = true;
  }

  #release(): void {
    for (const event of this.#held ?? []) this.#forward(event);
    this.#held = undefined;
    this.#heldBytes = 0;
    this.#sentCalls = this.#judgedCalls;
  }

  #flush(): void {
    const bytes = this.#pending.take();
    if (bytes !== undefined) this.#exchange.client.write(bytes);
  }

  /** Called when no further call can come. */
  #judgeAll(): void {
    const { choices, unknownCalls } = this.#stream.answer;
    if (!this.#isReleased) this.#exchange.deps.unjudged.noteCalls(unknownCalls);
    if (!this.#isReleased && choices !== undefined) {
      this.#isReleased = true;
      this.#judgeChoices(choices);
    } else if (!this.#isReleased) {
      this.#isReleased = true;
      this.#judge(this.#stream.answer.calls.length);
    }
    if (this.#blockedCall !== undefined) {
      this.#stopAtBlockedCall();
      return;
    }
    const reply = () => this.#stream.reply(Infinity);
    this.#exchange.noteReply(this.#stream.answer.id, reply, this.#clientStream.answer.id);
  }

  /** Ends the choices whose calls must not pass, and releases the others. */
  #judgeChoices(choices: ReadonlyMap<number, readonly ToolCall[]>): void {
    const { request, deps } = this.#exchange;
    const refused = decideChoices(request.session, choices, deps.now());
    if (deps.enforceStreams) for (const [index, decision] of refused) this.#refuse(index, decision);
    this.#release();
  }

  /** Judges calls up to the first that must not pass; if all may, the held events are released. */
  #judge(count: number): void {
    const { request, deps } = this.#exchange;
    const { calls } = this.#stream.answer;
    for (const [index, call] of calls.slice(0, count).entries()) {
      if (index < this.#judgedCalls) continue;
      this.#judgedCalls += 1;
      const enforcement = request.session.onToolCall(call, deps.now());
      // One chance per request: a second one passes.
      const isSecondChance = enforcement?.action === 'chance' && this.#isRetry;
      if (enforcement === undefined || isSecondChance || !deps.enforceStreams) continue;
      const unsent = calls.slice(this.#sentCalls, index);
      this.#blockedCall = { enforcement, call: { index, call, unsent } };
      return;
    }
    this.#release();
  }

  /** A method, since the compiler would narrow the field. */
  #isClosing(): boolean {
    return this.#closing !== undefined;
  }

  #stopAtBlockedCall(): void {
    if (this.#blockedCall !== undefined && this.#closing === undefined) this.#stop(this.#blockedCall);
  }

  #stop(decision: ReplyDecision): void {
    this.#flush();
    this.#held = undefined;
    const { request, deps } = this.#exchange;
    request.session.onReplyEnd(this.#stream.answer, deps.now());
    noteBlocked(request.session, decision, deps.now());
    this.#closing = this.#close(decision);
    this.#options.abort();
  }

  async #close({ enforcement, call }: ReplyDecision): Promise<RequestOutcome> {
    if (enforcement.action === 'block' || call === undefined) return this.#block(enforcement);
    const replyCalls = this.#isReleased ? this.#stream.answer.calls.length : call.index + 1;
    const reply = this.#stream.reply(replyCalls);
    const decision = { enforcement, call };
    const retry = this.#exchange.buildRetry(reply, decision, this.#sentCalls);
    return 'block' in retry
      ? this.#block(retry.block)
      : this.#options.retry(retry.request, { stream: this.#clientStream, decision });
  }

  #block(enforcement: Enforcement): RequestOutcome {
    const reply = this.#exchange.blockReply(enforcement);
    this.#exchange.noteSynthetic(reply, this.#clientStream);
    const { rawUsage } = this.#stream.answer;
    const usage = this.#isRetry ? summed(this.#clientStream.answer.rawUsage, rawUsage) : rawUsage;
    this.#exchange.client.end(this.#clientStream.finish(reply, usage));
    return blockOutcome(enforcement);
  }
}
