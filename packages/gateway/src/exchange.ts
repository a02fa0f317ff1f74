import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Api, ApiStream } from './api/api.ts';
import type { Conversation, Guidance, GuidanceAs, Json, OwnAnswer } from './api/conversation.ts';
import { parseObject } from './api/json.ts';
import type { ClientResponse } from './http/client-response.ts';
import { type FlatHeaders, withoutHeaders } from './http/headers.ts';
import { answerFailure } from './http/pass-through.ts';
import type { Upstream, UpstreamRequest, WholeAnswer } from './http/upstream.ts';
import type { UpstreamError } from './http/upstream-error.ts';
import { type CallJudgement, type Judgement, judgeReply } from './judgement.ts';
import type { GatewayMetrics, Outcome } from './metrics.ts';
import type { Demand } from './session/demand.ts';
import type { GatewaySession } from './session/gateway-session.ts';
import type { History } from './session/history.ts';
import type { Labels } from './session/session-detection.ts';
import type { OwnWords } from './session/session-store.ts';

/** What all exchanges of a gateway share. */
export interface ExchangeDeps {
  readonly upstream: Upstream;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly onBlock: 'error' | 'message' | undefined;
  readonly guidanceAs: GuidanceAs | undefined;
  readonly enforceStreams: boolean;
  /** Of one answer while it is judged. */
  readonly maxHeldBytes: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** An answer that a request may go on from; with `own`, it is the gateway's. */
  readonly noteAnswer: (answerId: string, sessionId: string, own?: OwnWords) => void;
}

/** A request to a model, taken in. */
export interface Asked {
  readonly api: Api;
  readonly session: GatewaySession;
  readonly labels: Labels;
  readonly conversation: Conversation;
  readonly history: History;
  /** The request as it is to go on, and its bytes as they came where nothing in it was changed. */
  readonly body: Json;
  readonly raw: Buffer | undefined;
  readonly request: Omit<UpstreamRequest, 'body'>;
}

/** Why an answer is not judged, and what to do about it. */
const answerRemedies = {
  too_large: 'it is larger than the gateway holds. To have it judged, raise gateway.max_held_bytes',
  encoded:
    'it is compressed in a way that the gateway cannot read. To have it judged, let the upstream compress it with gzip, br, deflate or zstd',
  malformed: 'it is not a valid answer of the API that was asked',
} as const;

/** One question to the model, from the request to the end of its answer. */
export class Exchange {
  readonly deps: ExchangeDeps;
  readonly asked: Asked;
  readonly client: ClientResponse;
  private outgoing: Json;

  constructor(deps: ExchangeDeps, asked: Asked, client: ClientResponse) {
    this.deps = deps;
    this.asked = asked;
    this.client = client;
    this.outgoing = asked.body;
  }

  /** Tells the session. @returns the request as it goes to the model, or what became of it where it does not */
  prepare(): UpstreamRequest | Outcome {
    const { session, conversation, history, labels, api, raw, body } = this.asked;
    const { stop, hint, limit } = session.ask(history, conversation.items, labels, this.deps.now());
    if (session.isStopped) {
      this.answerInstead(this.stoppedAnswer());
      return 'blocked';
    }
    if (stop !== undefined) {
      this.answerInstead(this.ownAnswer(stop));
      return stop.verdict.kind === 'limit' ? 'limited' : 'blocked';
    }
    if (hint !== undefined) this.outgoing = api.withNote(this.outgoing, hint.text, this.guidanceAs);
    if (limit !== undefined) this.outgoing = api.withLimit(this.outgoing, limit);
    if (this.outgoing === body && raw !== undefined) return this.upstreamRequest(raw, 'as it came');
    return this.upstreamRequest(Buffer.from(JSON.stringify(this.outgoing)));
  }

  /** The model is not asked. */
  private answerInstead(own: OwnAnswer): void {
    this.asked.session.answered({ usage: null, finishReason: null }, this.deps.now());
    this.answerOwn(own);
  }

  get guidanceAs(): GuidanceAs {
    return this.deps.guidanceAs ?? (this.talksToModel ? 'assistant' : 'tool');
  }

  /** What the client gets in place of what must not go on. */
  ownAnswer({ verdict, text }: Demand): OwnAnswer {
    if (verdict.detector === 'turn-limit') {
      const { max_allowed: allowed, last_tool_calls: lastCalls } = verdict.evidence;
      // The request at hand is not made: those that were are as many as may be.
      const details = { stop_reason: 'max_turn_requests', turn_requests: allowed, max_allowed: allowed };
      return {
        id: ownId(),
        text,
        stop: 'max_turn_requests',
        details: { ...details, last_tool_calls: lastCalls },
      };
    }
    const stop = this.blockedAs;
    const { id, detector, incidentId, count, threshold } = verdict;
    return {
      id: ownId(),
      text,
      stop,
      details: { verdict_id: id, incident_id: incidentId, detector, count, threshold },
    };
  }

  /** What the client gets while a person has stopped the session. */
  private stoppedAnswer(): OwnAnswer {
    const text = 'The session was stopped in Loopwatch. It goes on once it is resumed there.';
    return { id: ownId(), text, stop: this.blockedAs, details: { stopped: true } };
  }

  private get blockedAs(): OwnAnswer['stop'] {
    const { onBlock = this.talksToModel ? 'message' : 'error' } = this.deps;
    return onBlock === 'error' ? 'error' : 'stop';
  }

  /**
   * The request once more, with what the model is to be told of its call.
   *
   * @param made how many calls of the reply are on their way to the client already
   */
  again(
    reply: Json,
    { demand, call }: CallJudgement,
    made = 0,
  ): { readonly request: UpstreamRequest } | { readonly stop: Demand } {
    const { session, api } = this.asked;
    const stop = session.askAgain(call.call, demand.text, this.deps.now());
    if (stop !== undefined) return { stop };
    // Calls that are being made must not be missing from what the model is told.
    const as = made > 0 ? 'tool' : this.guidanceAs;
    const guidance: Guidance = { text: demand.text, as, call: call.index, made };
    const body = Buffer.from(JSON.stringify(api.withGuidance(this.outgoing, reply, guidance)));
    return { request: this.upstreamRequest(body) };
  }

  /** Asks once more. @returns the answer, and what it leads to */
  async askAgain(
    reply: Json,
    judged: CallJudgement,
  ): Promise<
    { readonly answer: WholeAnswer; readonly judgement: Judgement | undefined } | { readonly stop: Demand }
  > {
    const again = this.again(reply, judged);
    if ('stop' in again) return again;
    const { upstream, maxHeldBytes } = this.deps;
    const answer = await upstream.fetch(again.request, maxHeldBytes, this.client.signal);
    const body = answer.status < 300 ? parseObject(answer.body.toString('utf8')) : undefined;
    return { answer, judgement: body && this.judgeSecond(body) };
  }

  /** Judges a second answer that came as a whole. @returns undefined where it may pass, or cannot be read */
  judgeSecond(body: Json): Judgement | undefined {
    const read = this.asked.api.readReply(body);
    const judgement = read && judgeReply(this.asked.session, read, this.deps.now());
    // A chance is given once a request: what would earn another one passes, and is watched.
    return judgement?.demand.action === 'block' ? judgement : undefined;
  }

  /** Answers in the upstream's place, as a whole or as a stream, whichever was asked for. */
  answerOwn(own: OwnAnswer, headers: FlatHeaders = [], usage: Json | null = null): void {
    const { api, body, conversation } = this.asked;
    const kept = withoutHeaders(headers, 'content-type', 'content-length', 'content-encoding');
    this.noteOwn(own);
    if (!conversation.stream) {
      this.client.json(200, api.answer(body, own, usage), kept);
      return;
    }
    this.client.head(200, [
      ...kept,
      'content-type',
      'text/event-stream; charset=utf-8',
      'cache-control',
      'no-cache',
    ]);
    this.client.end(api.stream(body).finish(own, usage));
  }

  /**
   * Notes an answer of the upstream's that the client may go on from.
   *
   * @param knownAs the id that the client knows it by
   */
  noteAnswer(id: string | null, knownAs = id): void {
    const { api, body, session } = this.asked;
    const request = id === null ? undefined : api.requestAfter?.(id, body);
    if (id === null || request === undefined || request === null) return;
    session.noteAnswer(id);
    this.deps.noteAnswer(id, session.id);
    if (knownAs === null || knownAs === id) return;
    session.noteAnswer(knownAs);
    this.deps.noteAnswer(knownAs, session.id, { request, told: '' });
  }

  /**
   * The client may go on from an answer that the upstream does not know, or knows otherwise.
   *
   * @param stream the stream that ends with it, where it is none of its own
   */
  noteOwn(own: OwnAnswer, stream?: ApiStream): void {
    const { api, body, session } = this.asked;
    session.noteOwn(own);
    const id = stream?.id ?? api.answer(body, own, null)['id'];
    if (typeof id !== 'string' || (api.requestAfter?.(id, body) ?? null) === null) return;
    const request = stream?.withPassedCalls?.(body) ?? body;
    session.noteAnswer(id);
    this.deps.noteAnswer(id, session.id, { request, told: own.text });
  }

  /** The answer did not come, or not whole. @param told whether the client has been told already */
  failed(error: UpstreamError, told = false): Outcome {
    const { metrics, logger } = this.deps;
    const { session, api } = this.asked;
    session.lost();
    if (this.client.signal.aborted) return 'client_gone';
    metrics.upstreamFailures.inc({ failure: error.failure });
    logger.warn({ sessionId: session.id, failure: error.failure }, error.message);
    if (!told) answerFailure(this.client, api.kind, error);
    return 'upstream_failed';
  }

  unjudged(reason: 'too_large' | 'encoded' | 'malformed'): void {
    this.deps.metrics.unjudged.inc({ reason });
    this.deps.logger.warn(
      { sessionId: this.asked.session.id, reason },
      `An answer went on without being judged: ${answerRemedies[reason]}`,
    );
  }

  /** Similar calls are a matter between the gateway and the model; a user is told of the same call over and over. */
  private get talksToModel(): boolean {
    return this.asked.session.plan.tool.similarity !== null;
  }

  private upstreamRequest(body: Buffer, as: 'as it came' | 'JSON' = 'JSON'): UpstreamRequest {
    // Judged is what can be read: the upstream is not to compress it.
    const replaced = ['content-length', 'accept-encoding', ...(as === 'JSON' ? ['content-encoding'] : [])];
    const headers = withoutHeaders(this.asked.request.headers, ...replaced);
    return { ...this.asked.request, headers: [...headers, 'accept-encoding', 'identity'], body };
  }
}

/** A new id for an answer of the gateway's own. */
export function ownId(): string {
  return randomBytes(12).toString('hex');
}
