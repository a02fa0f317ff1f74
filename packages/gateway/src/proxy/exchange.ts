import type { Api, ApiStream } from '../api/api.ts';
import type { Conversation, Guidance, GuidanceAs, Json, SyntheticReply } from '../api/conversation.ts';
import { parseObject } from '../api/json.ts';
import { jsonOf } from '../api/parsing/json-text.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { type FlatHeaders, withoutHeaders } from '../http/headers.ts';
import type { UpstreamRequest, WholeResponse } from '../http/upstream.ts';
import type { UpstreamError } from '../http/upstream-error.ts';
import type { Steps } from '../in-slices.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { CallItems } from '../session/call-items.ts';
import { blockFor, type Enforcement } from '../session/enforcement.ts';
import type { GatewaySession } from '../session/gateway-session.ts';
import type { History } from '../session/history.ts';
import type { RequestLabels } from '../session/session-detection.ts';
import type { SyntheticExchange } from '../session/session-store.ts';
import type { BackgroundReplies } from './background-replies.ts';
import { type PassThroughDeps, sendUpstreamError } from './pass-through.ts';
import { type CallDecision, decideReply, type ReplyDecision } from './reply-decision.ts';
import { blockOutcome, blockReply, stoppedReply } from './synthetic-reply.ts';
import type { UnjudgedRequests } from './unjudged-requests.ts';

/** What all exchanges of a gateway share. */
export interface ExchangeDeps extends PassThroughDeps {
  readonly unjudged: UnjudgedRequests;
  readonly background: BackgroundReplies;
  readonly callItems: CallItems;
  readonly onBlock: 'error' | 'message' | undefined;
  readonly guidanceAs: GuidanceAs | undefined;
  readonly enforceStreams: boolean;
  /** Bytes of one reply that may be held back while it is judged. */
  readonly maxHeldBytes: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called with the id of a reply that a request may continue from; with `synthetic`, the gateway wrote the reply. */
  readonly onReplyId: (replyId: string, sessionId: string, synthetic?: SyntheticExchange) => void;
}

/** A parsed request to a model, with its session. */
export interface GatewayRequest {
  readonly api: Api;
  readonly session: GatewaySession;
  readonly labels: RequestLabels;
  readonly conversation: Conversation;
  readonly history: History;
  /** The body to forward. */
  readonly body: Json;
  /** The body's original bytes; undefined if the gateway changed it. */
  readonly raw: Buffer | undefined;
  readonly upstreamRequest: Omit<UpstreamRequest, 'body'>;
}

/** Why a reply is not judged, and how to change that. */
const unjudgedReplies = {
  too_large: 'it is larger than gateway.max_held_bytes. Raise that setting to have it judged',
  encoded:
    'its content encoding is not supported. Let the upstream use gzip, br, deflate or zstd to have it judged',
  malformed: 'it is not a valid response of the requested API',
} as const;

/** One request to the model, up to the end of its reply. */
export class Exchange {
  readonly deps: ExchangeDeps;
  readonly request: GatewayRequest;
  readonly client: ClientResponse;
  /** The body as it was sent to the model. */
  #sentBody: Json;

  constructor(deps: ExchangeDeps, request: GatewayRequest, client: ClientResponse) {
    this.deps = deps;
    this.request = request;
    this.client = client;
    this.#sentBody = request.body;
  }

  /** Reports the request to its session. @returns the request to forward, or the outcome if it was answered here */
  *prepare(): Steps<UpstreamRequest | RequestOutcome> {
    const { session, conversation, history, labels, api, raw, body } = this.request;
    const { items } = conversation;
    const { block, hint, limit } = yield* session.onRequest(history, items, labels, this.deps.now());
    if (session.rules.isStopped) return this.#answer(stoppedReply(this.#blockStop), 'blocked');
    if (block !== undefined) return this.#answer(this.blockReply(block), blockOutcome(block));
    if (hint !== undefined) this.#sentBody = api.withNote(this.#sentBody, hint.text, this.guidanceAs);
    if (limit !== undefined) this.#sentBody = api.withLimit(this.#sentBody, limit);
    if (this.#sentBody === body && raw !== undefined) return this.#upstreamRequest(raw, 'original');
    return this.#upstreamRequest(yield* jsonOf(this.#sentBody), 'JSON');
  }

  get guidanceAs(): GuidanceAs {
    return this.deps.guidanceAs ?? (this.#isSimilarityMode ? 'assistant' : 'tool');
  }

  /** What the client gets instead of something blocked. */
  blockReply(enforcement: Enforcement): SyntheticReply {
    this.request.session.noteEnd(enforcement, this.deps.now());
    return blockReply(enforcement, this.#blockStop);
  }

  /**
   * Builds the second request after a chance: the first one, its reply, and guidance about the call.
   *
   * @param sentCalls how many calls of the reply the client has got already
   */
  buildRetry(
    reply: Json,
    { enforcement, call }: CallDecision,
    sentCalls = 0,
  ): { readonly request: UpstreamRequest } | { readonly block: Enforcement } {
    const { session, api } = this.request;
    const block = session.onRetry(call, enforcement.text, this.deps.now());
    if (block !== undefined) return { block };
    // Calls that the client has got must appear in what the model is told.
    const as = sentCalls > 0 ? 'tool' : this.guidanceAs;
    const guidance: Guidance = { text: enforcement.text, as, call: call.index, sentCalls };
    const body = Buffer.from(JSON.stringify(api.withGuidance(this.#sentBody, reply, guidance)));
    return { request: this.#upstreamRequest(body, 'JSON') };
  }

  /** Asks the model again. @returns the response, and the decision about it */
  async retry(
    reply: Json,
    decision: CallDecision,
  ): Promise<
    | { readonly response: WholeResponse; readonly decision: ReplyDecision | undefined }
    | { readonly block: Enforcement }
  > {
    const retry = this.buildRetry(reply, decision);
    if ('block' in retry) return retry;
    const { upstream, maxHeldBytes } = this.deps;
    const response = await upstream.fetch(retry.request, maxHeldBytes, this.client.signal);
    const body = response.status < 300 ? parseObject(response.body.toString('utf8')) : undefined;
    return { response, decision: body && this.decideRetry(body) };
  }

  /**
   * Handles a second request that failed, which the client has not made.
   *
   * @returns what the client gets instead of the call
   */
  blockRetry({ enforcement, call }: CallDecision, error: UpstreamError): Enforcement {
    const { session } = this.request;
    this.#noteFailure(error);
    session.onReplyEnd({ usage: null, finishReason: null }, this.deps.now());
    return blockFor(enforcement.verdict, session.plan, call.call.name);
  }

  /** Judges a complete second reply. @returns undefined if it may pass, or cannot be parsed */
  decideRetry(body: Json): ReplyDecision | undefined {
    const reply = this.request.api.readReply(body);
    const decision = reply && decideReply(this.request.session, reply, this.deps.now());
    // One chance per request: a second one passes.
    return decision?.enforcement.action === 'block' ? decision : undefined;
  }

  /** Answers in the upstream's place, as JSON or as a stream, as the client requested. */
  sendSynthetic(reply: SyntheticReply, headers: FlatHeaders = [], usage: Json | null = null): void {
    const { api, body, conversation } = this.request;
    const kept = withoutHeaders(headers, 'content-type', 'content-length', 'content-encoding');
    this.noteSynthetic(reply);
    if (!conversation.stream) {
      this.client.json(200, api.syntheticReply(body, reply, usage), kept);
      return;
    }
    this.client.head(200, [...kept, 'content-type', api.framing.contentType, 'cache-control', 'no-cache']);
    this.client.end(api.stream(body).finish(reply, usage));
  }

  /**
   * Notes a reply of the upstream: the client may continue from it, and refer to its calls.
   *
   * @param clientId the id that the client got for it
   */
  noteReply(id: string | null, reply: () => Json, clientId = id): void {
    const { api, body, session } = this.request;
    if (api.callItems !== undefined) this.deps.callItems.note(api.callItems(reply()), session.id);
    const request = id === null ? undefined : api.requestAfter?.(id, body);
    if (id === null || request === undefined || request === null) return;
    session.lineage.noteReplyId(id);
    this.deps.onReplyId(id, session.id);
    if (clientId === null || clientId === id) return;
    session.lineage.noteReplyId(clientId);
    this.deps.onReplyId(clientId, session.id, { request, text: '' });
  }

  /**
   * Notes a reply that the upstream does not know, or knows by another id.
   *
   * @param stream the stream that ends with the reply, if it is not a response of its own
   */
  noteSynthetic(reply: SyntheticReply, stream?: ApiStream): void {
    const { api, body, session } = this.request;
    session.onSyntheticReply(reply);
    const id = stream?.answer.id ?? api.syntheticReply(body, reply, null)['id'];
    if (typeof id !== 'string' || (api.requestAfter?.(id, body) ?? null) === null) return;
    const request = stream?.withSentCalls?.(body) ?? body;
    session.lineage.noteReplyId(id);
    this.deps.onReplyId(id, session.id, { request, text: reply.text });
  }

  /** Handles a reply that failed or was incomplete. @param isReported whether the client was told already */
  fail(error: UpstreamError, isReported = false): RequestOutcome {
    const { session, api } = this.request;
    session.onReplyLost();
    if (this.client.signal.aborted) return 'client_gone';
    this.#noteFailure(error);
    if (!isReported) sendUpstreamError(this.client, api.kind, error);
    return 'upstream_failed';
  }

  #noteFailure({ failure, message }: UpstreamError): void {
    this.deps.metrics.upstreamFailures.inc({ failure });
    this.deps.logger.warn({ sessionId: this.request.session.id, failure }, message);
  }

  noteUnjudged(reason: 'too_large' | 'encoded' | 'malformed'): void {
    this.deps.metrics.unjudged.inc({ reason });
    this.deps.logger.warn(
      { sessionId: this.request.session.id, reason },
      `Passed a reply through unjudged: ${unjudgedReplies[reason]}`,
    );
  }

  /** Answers without asking the model. */
  #answer(reply: SyntheticReply, outcome: RequestOutcome): RequestOutcome {
    this.request.session.onReplyEnd({ usage: null, finishReason: null }, this.deps.now());
    this.sendSynthetic(reply);
    return outcome;
  }

  get #blockStop(): 'error' | 'stop' {
    // Clients that check the finish reason reject an error, so only the preset that is defined to give one does.
    const isProxy = this.request.session.plan.preset === 'proxy' && !this.#isSimilarityMode;
    const { onBlock = isProxy ? 'error' : 'message' } = this.deps;
    return onBlock === 'error' ? 'error' : 'stop';
  }

  /** Similar calls are settled between gateway and model; identical calls are reported to the user. */
  get #isSimilarityMode(): boolean {
    return this.request.session.plan.tool.similarity !== null;
  }

  #upstreamRequest(body: Buffer, form: 'original' | 'JSON'): UpstreamRequest {
    const { upstreamRequest: request } = this.request;
    // Compressed replies could not be judged: the upstream is asked not to compress.
    const replaced = ['content-length', 'accept-encoding', ...(form === 'JSON' ? ['content-encoding'] : [])];
    const headers = withoutHeaders(request.headers, ...replaced);
    return { ...request, headers: [...headers, 'accept-encoding', 'identity'], body };
  }
}
