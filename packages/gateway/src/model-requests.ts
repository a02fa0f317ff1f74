import type { IncomingMessage } from 'node:http';
import { type DetectionPlan, withoutChatCommands } from '@loopwatch/detectors';
import type { SettingsVersion, WideSettings } from '@loopwatch/pipeline';
import { AnswerRelay } from './answer-relay.ts';
import type { Api } from './api/api.ts';
import type { Conversation, Json } from './api/conversation.ts';
import { parseObject } from './api/json.ts';
import { Exchange, type ExchangeDeps, ownId } from './exchange.ts';
import { apiError } from './http/api-error.ts';
import type { ClientResponse } from './http/client-response.ts';
import { decodeBody } from './http/decode-body.ts';
import { requestHeaders, withoutHeaders } from './http/headers.ts';
import { readBody } from './http/read-body.ts';
import type { Target } from './http/target.ts';
import type { UpstreamRequest } from './http/upstream.ts';
import type { Outcome } from './metrics.ts';
import { passOn } from './pass-on.ts';
import { type Commands, commandAnswer, commandsIn, isCommandAnswer } from './session/commands.ts';
import type { Conversations } from './session/conversations.ts';
import type { GatewaySession } from './session/gateway-session.ts';
import { CallKeys, History } from './session/history.ts';
import type { Labels } from './session/session-detection.ts';
import { sessionName } from './session/session-name.ts';
import type { SessionSettings } from './session/session-settings.ts';
import type { SessionStore } from './session/session-store.ts';
import type { GatewayStorage } from './storage/gateway-storage.ts';
import type { UnjudgedRequests } from './unjudged.ts';

export interface ModelRequestsDeps extends ExchangeDeps {
  readonly target: Target;
  /** What sessions are watched by. */
  readonly settings: WideSettings;
  /** What was set for single sessions. */
  readonly ownSettings: SessionSettings;
  readonly sessions: SessionStore;
  readonly conversations: Conversations;
  /** Where sessions are kept beyond memory; undefined: nowhere. */
  readonly storage: GatewayStorage | undefined;
  readonly unjudged: UnjudgedRequests;
  /** Name of the backend; undefined: that of the API. */
  readonly backend: string | undefined;
  readonly commands: boolean;
  readonly maxRequestBytes: number;
}

/** What a user's commands led to. */
interface Obeyed {
  readonly commands: Commands;
  readonly refused: readonly string[];
  /** Whether anything is left of the message for the model. */
  readonly isAll: boolean;
}

/** Takes requests to models: finds the session, does what commands say, and lets the rest go to the model. */
export class ModelRequests {
  private readonly deps: ModelRequestsDeps;
  private readonly keys = new CallKeys();
  /** Whether anything is watched under the current settings, and which those were. */
  private watched: { readonly version: SettingsVersion; readonly any: boolean } | undefined;

  constructor(deps: ModelRequestsDeps) {
    this.deps = deps;
  }

  async handle(api: Api, incoming: IncomingMessage, path: string, client: ClientResponse): Promise<Outcome> {
    const { maxRequestBytes, target, unjudged } = this.deps;
    const read = await readBody(incoming, maxRequestBytes);
    if (!read.ok) return this.refuse(api, client, read.why);
    const request = {
      method: incoming.method ?? 'POST',
      path: target.path(path),
      headers: requestHeaders(incoming.rawHeaders),
    };
    // Where nothing is watched nothing is looked at, unless a request may ask for it.
    const { sessions, ownSettings } = this.deps;
    const idle = !this.watchesAny() && !sessions.anyOwnSettings && !ownSettings.isAny;
    const encoding = incoming.headers['content-encoding'];
    if (idle && !(this.deps.commands && (encoding !== undefined || read.body.includes('!/'))))
      return this.pass(api, request, read.body, client);
    const decoded = await decodeBody(read.body, encoding, maxRequestBytes);
    const body = decoded && parseObject(decoded.toString('utf8'));
    const conversation = body && api.readRequest(body);
    if (body === undefined || conversation === undefined) {
      unjudged.note(path, decoded === undefined ? 'encoded' : 'malformed');
      return this.pass(api, request, read.body, client);
    }
    return this.take(
      api,
      { request, body, conversation, raw: read.body, headers: incoming.rawHeaders },
      client,
    );
  }

  private async take(
    api: Api,
    {
      request,
      body: given,
      conversation: asked,
      raw,
      headers,
    }: {
      readonly request: Omit<UpstreamRequest, 'body'>;
      readonly body: Json;
      readonly conversation: Conversation;
      readonly raw: Buffer;
      readonly headers: readonly string[];
    },
    client: ClientResponse,
  ): Promise<Outcome> {
    const { conversations, commands: obeys } = this.deps;
    const name = sessionName(headers, asked);
    await conversations.load(name, asked);
    let body = this.resumed(api, given, asked);
    let conversation = body === given ? asked : (api.readRequest(body) ?? asked);
    if (obeys && conversation.items.some((item) => item.role === 'user' && item.text.includes('!/'))) {
      body = api.withUserTexts(body, withoutChatCommands, isCommandAnswer);
      conversation = api.readRequest(body) ?? asked;
    }
    const { previous, keepsHistory } = asked;
    const history = new History({ items: conversation.items, previous, keepsHistory }, this.keys);
    const session = conversations.find(name, history);
    const labels = { model: asked.model, backend: this.deps.backend ?? api.backend };
    const obeyed = obeys ? this.obey(asked, session, labels) : undefined;
    const exchange = new Exchange(
      this.deps,
      { api, session, labels, conversation, history, body, raw: body === given ? raw : undefined, request },
      client,
    );
    if (obeyed !== undefined && (obeyed.isAll || obeyed.refused.length > 0)) {
      session.noteUser(lastText(asked));
      exchange.answerOwn({ id: ownId(), text: commandAnswer(obeyed.commands, obeyed.refused), stop: 'stop' });
      this.keep(session);
      return 'command';
    }
    if (watches(this.planFor(session, labels))) {
      const prepared = exchange.prepare();
      const outcome = typeof prepared === 'string' ? prepared : await new AnswerRelay(exchange).run(prepared);
      this.keep(session);
      return outcome;
    }
    if (obeyed !== undefined) this.keep(session);
    return body === given
      ? this.pass(api, request, raw, client)
      : this.pass(api, withoutCoding(request), Buffer.from(JSON.stringify(body)), client);
  }

  /** Runs in the background: the answer is on its way already. */
  private keep(session: GatewaySession): void {
    const { storage } = this.deps;
    storage?.messages(session.id, session.takeMessages());
    storage?.changed(session);
  }

  private watchesAny(): boolean {
    const version = this.deps.settings.current;
    if (this.watched?.version !== version) {
      const { plan, tiers } = version.detection;
      const any = watches(plan) || [...(tiers?.values() ?? [])].some((tier) => watches(tier.plan));
      this.watched = { version, any };
    }
    return this.watched.any;
  }

  /** A request that goes on from an answer of the gateway's own, in terms of what the upstream knows. */
  private resumed(api: Api, body: Json, { previous }: Conversation): Json {
    const earlier = previous === null ? undefined : this.deps.sessions.ownAnswer(previous);
    if (earlier === undefined || api.withEarlier === undefined) return body;
    return api.withEarlier(body, earlier.request, isCommandAnswer(earlier.told) ? null : earlier.told);
  }

  /** Commands count in the message that the user has just written, not in what is repeated of it. */
  private obey({ items }: Conversation, session: GatewaySession, labels: Labels): Obeyed | undefined {
    const last = items.at(-1);
    if (last?.role !== 'user') return undefined;
    const commands = commandsIn(last.text);
    if (commands === undefined) return undefined;
    const refused = session.obey(commands, labels, this.deps.now());
    return { commands, refused, isAll: commands.help || withoutChatCommands(last.text) === '' };
  }

  private planFor(session: GatewaySession, { model, backend }: Labels): DetectionPlan {
    const { detection } = this.deps.settings.current;
    if (session.hasOwnSettings) return session.plan;
    return (detection.tiers?.get(`${backend}/${model ?? ''}`) ?? detection).plan;
  }

  private pass(
    api: Api,
    request: Omit<UpstreamRequest, 'body'>,
    body: Buffer,
    client: ClientResponse,
  ): Promise<Outcome> {
    // The body may be another than the one that the client announced.
    const headers = withoutHeaders(request.headers, 'content-length');
    return passOn(this.deps, { ...request, headers, body }, client, api.kind);
  }

  private refuse(api: Api, client: ClientResponse, why: 'too_large' | 'client_gone'): Outcome {
    if (why === 'client_gone') return 'client_gone';
    const limit = String(this.deps.maxRequestBytes);
    const message = `The request is larger than ${limit} bytes (gateway.max_request_bytes).`;
    client.json(413, apiError(api.kind, 413, 'request_too_large', message), ['connection', 'close']);
    return 'refused';
  }
}

/** Whether any detector is on. */
function watches({ enabled, on }: DetectionPlan): boolean {
  return enabled && on.size > 0;
}

/** The request with a body that is not compressed. */
function withoutCoding<Request extends Pick<UpstreamRequest, 'headers'>>(request: Request): Request {
  return { ...request, headers: withoutHeaders(request.headers, 'content-encoding') };
}

function lastText({ items }: Conversation): string {
  const last = items.at(-1);
  return last?.role === 'user' ? last.text : '';
}
