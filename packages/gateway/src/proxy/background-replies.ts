import { readResponsesAnswer } from '@loopwatch/formats/wire';
import { LRUCache } from 'lru-cache';
import type { Json, Reply } from '../api/conversation.ts';
import { parseObject, usageOf } from '../api/json.ts';
import { responsesApi } from '../api/responses.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { responseHeaders, withoutHeaders } from '../http/headers.ts';
import type { UpstreamRequest } from '../http/upstream.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { SessionStore, SyntheticExchange } from '../session/session-store.ts';
import { type PassThroughDeps, sendUpstreamError } from './pass-through.ts';
import { decideReply } from './reply-decision.ts';
import { blockOutcome, blockReply } from './synthetic-reply.ts';
import type { UnjudgedRequests } from './unjudged-requests.ts';

/** Replies that are remembered, each with the request that it answers. */
const MAX_REPLIES = 200;
const pending = new Set<unknown>(['queued', 'in_progress']);
const replyPath = /\/responses\/([^/]+)\/?$/;

/** What is known of a reply: the request that it answers, and once it was blocked, what the client gets instead. */
interface BackgroundReply {
  readonly request: Json;
  readonly blocked?: { readonly body: Json; readonly outcome: RequestOutcome };
}

export interface BackgroundDeps extends PassThroughDeps {
  readonly unjudged: UnjudgedRequests;
  readonly sessions: SessionStore;
  readonly maxHeldBytes: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Called with the id of a reply that the gateway wrote. */
  readonly onReplyId: (replyId: string, sessionId: string, synthetic: SyntheticExchange) => void;
}

/** Replies of OpenAI's Responses that are made in the background: the client fetches them, often several times. */
export class BackgroundReplies {
  readonly #replies = new LRUCache<string, BackgroundReply>({ max: MAX_REPLIES });

  /** Whether a reply is still being made; its calls are judged when the client fetches it. */
  note(reply: Json, request: Json): boolean {
    const { id, status } = reply;
    const isPending = pending.has(status) && typeof id === 'string';
    if (isPending) this.#replies.set(id, { request });
    return isPending;
  }

  /** Id of the reply that a request fetches, if it was made in the background and not judged yet, or blocked. */
  idIn(method: string, path: string): string | undefined {
    const id = method === 'GET' ? replyPath.exec(path.split('?', 1)[0] ?? '')?.[1] : undefined;
    return id !== undefined && this.#replies.get(id) !== undefined ? id : undefined;
  }

  /** Fetches a reply for the client, and judges it once it is complete. */
  async fetch(
    deps: BackgroundDeps,
    id: string,
    request: UpstreamRequest,
    client: ClientResponse,
  ): Promise<RequestOutcome> {
    const known = this.#replies.get(id)?.blocked;
    if (known !== undefined) {
      client.json(200, known.body);
      return known.outcome;
    }
    const headers = [...withoutHeaders(request.headers, 'accept-encoding'), 'accept-encoding', 'identity'];
    try {
      const response = await deps.upstream.fetch({ ...request, headers }, deps.maxHeldBytes, client.signal);
      const body = response.status < 300 ? parseObject(response.body.toString('utf8')) : undefined;
      const reply = body && readResponsesAnswer(body);
      const isComplete = reply !== undefined && !pending.has(body?.['status']);
      const blocked = isComplete && body !== undefined ? this.#judge(deps, id, reply, body) : undefined;
      if (blocked !== undefined) {
        client.json(200, blocked.body);
        return blocked.outcome;
      }
      client.head(response.status, responseHeaders(response.headers));
      client.end(response.body);
      return 'passed';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (client.signal.aborted) return 'client_gone';
      deps.metrics.upstreamFailures.inc({ failure: error.failure });
      sendUpstreamError(client, 'responses', error);
      return 'upstream_failed';
    }
  }

  /** Judges a complete reply once. A chance cannot be given, since the client did not ask again. */
  #judge(
    { sessions, unjudged, now, onReplyId }: BackgroundDeps,
    id: string,
    reply: Reply,
    body: Json,
  ): BackgroundReply['blocked'] {
    // Another fetch at the same time may have been judged first.
    const known = this.#replies.get(id);
    if (known === undefined || known.blocked !== undefined) return known?.blocked;
    this.#replies.delete(id);
    const session = sessions.peek(sessions.ofReply(id) ?? '', now());
    if (session === undefined) {
      unjudged.note('/responses/{id}', 'background');
      return undefined;
    }
    unjudged.noteCalls(reply.unknownCalls);
    const enforcement = decideReply(session, reply, now())?.enforcement;
    if (enforcement?.action !== 'block') return undefined;
    const { request } = known;
    const synthetic = blockReply(enforcement, 'stop');
    session.onSyntheticReply(synthetic);
    onReplyId(id, session.id, { request, text: synthetic.text });
    const blocked = {
      body: { ...responsesApi.syntheticReply(request, synthetic, usageOf(body)), id, background: true },
      outcome: blockOutcome(enforcement),
    };
    this.#replies.set(id, { request, blocked });
    return blocked;
  }
}
