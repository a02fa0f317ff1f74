import type { IncomingMessage } from 'node:http';
import {
  type DetectionPlan,
  type LiveSettings,
  type SettingsVersion,
  withoutChatCommands,
} from '@loopwatch/detectors/internal';
import { trace } from '@opentelemetry/api';
import type { Api } from '../api/api.ts';
import type { Conversation, Json } from '../api/conversation.ts';
import { readElements } from '../api/history.ts';
import { RequestParser } from '../api/parsing/request-parser.ts';
import { apiError } from '../http/api-error.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { decodeBody } from '../http/content-coding.ts';
import { type FlatHeaders, requestHeaders, withoutHeaders } from '../http/headers.ts';
import { readBody } from '../http/read-body.ts';
import type { Target } from '../http/request-path.ts';
import type { UpstreamRequest } from '../http/upstream.ts';
import { inSlices, type Steps } from '../in-slices.ts';
import type { RequestOutcome } from '../metrics.ts';
import { type Commands, commandReply, commandsIn, isCommandReply } from '../session/commands.ts';
import type { GatewaySession } from '../session/gateway-session.ts';
import { CallKeys, History } from '../session/history.ts';
import type { RequestLabels } from '../session/session-detection.ts';
import { sessionName } from '../session/session-name.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { GatewayStorage } from '../storage/gateway-storage.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import { passThrough } from './pass-through.ts';
import { ReplyRelay } from './reply-relay.ts';
import type { SessionLookup } from './session-lookup.ts';
import { textReply } from './synthetic-reply.ts';

export interface ModelRequestHandlerDeps extends ExchangeDeps {
  readonly target: Target;
  /** Server and model settings. */
  readonly settings: LiveSettings;
  /** Settings of single sessions. */
  readonly sessionSettings: SessionSettings;
  readonly sessions: SessionStore;
  readonly lookup: SessionLookup;
  /** Undefined if sessions are only in memory. */
  readonly storage: GatewayStorage | undefined;
  /** Name of the backend; undefined for the API's default. */
  readonly backend: string | undefined;
  /** Whether commands in the chat are executed. */
  readonly commands: boolean;
  readonly maxRequestBytes: number;
}

/** A request whose body was parsed. */
interface ParsedRequest {
  readonly upstreamRequest: Omit<UpstreamRequest, 'body'>;
  readonly headers: FlatHeaders;
  /** The body's bytes. */
  readonly raw: Buffer;
  readonly body: Json;
  readonly conversation: Conversation;
  /** When the last byte arrived, by the process' monotonic clock. */
  readonly receivedAt: number;
}

/** What a user's commands led to. */
interface CommandResult {
  readonly commands: Commands;
  readonly refusals: readonly string[];
  /** Whether the message has nothing but commands. */
  readonly isAll: boolean;
}

/** Handles requests to models: finds the session, executes commands, and forwards the rest to the model. */
export class ModelRequestHandler {
  readonly #deps: ModelRequestHandlerDeps;
  readonly #parser = new RequestParser();
  readonly #keys = new CallKeys();
  /** Whether any detector is on under a settings version. */
  #enabled: { readonly version: SettingsVersion; readonly isAny: boolean } | undefined;

  constructor(deps: ModelRequestHandlerDeps) {
    this.#deps = deps;
  }

  async handle(
    api: Api,
    incoming: IncomingMessage,
    path: string,
    client: ClientResponse,
  ): Promise<RequestOutcome> {
    const { maxRequestBytes, target, unjudged } = this.#deps;
    const received = await readBody(incoming, maxRequestBytes);
    if (!received.ok) return this.#refuse(api, client, received.reason);
    const raw = received.body;
    const receivedAt = performance.now();
    const upstreamRequest = {
      method: incoming.method ?? 'POST',
      path: target.path(path),
      headers: requestHeaders(incoming.rawHeaders),
    };
    const encoding = incoming.headers['content-encoding'];
    if (!this.#needsParsing(raw, encoding)) return this.#pass(api, upstreamRequest, raw, client);
    const decoded = await decodeBody(raw, encoding, maxRequestBytes);
    const read = decoded && (await inSlices(this.#read(api, decoded)));
    const { body, conversation } = read ?? {};
    if (body === undefined || conversation === undefined) {
      unjudged.note(path, decoded === undefined ? 'encoded' : 'malformed');
      return this.#pass(api, upstreamRequest, raw, client);
    }
    const headers = incoming.rawHeaders;
    return this.#handleParsed(api, { upstreamRequest, headers, raw, body, conversation, receivedAt }, client);
  }

  *#read(
    api: Api,
    raw: Buffer,
  ): Steps<{ readonly body: Json; readonly conversation: Conversation } | undefined> {
    const body = yield* this.#parser.parse(raw, api.historyKey);
    if (body === undefined) return undefined;
    const read = api.withCallItems?.(body, (id) => this.#deps.callItems.of(id)) ?? body;
    yield* readElements(read[api.historyKey]);
    const conversation = api.readRequest(read);
    if (conversation === undefined) return undefined;
    yield* this.#keys.prepare(conversation.items);
    return { body, conversation };
  }

  async #handleParsed(api: Api, parsed: ParsedRequest, client: ClientResponse): Promise<RequestOutcome> {
    const { lookup, commands: hasCommands } = this.#deps;
    const { upstreamRequest, raw, conversation: received } = parsed;
    const name = sessionName(parsed.headers, upstreamRequest.path, received);
    await lookup.load(received);
    let body = this.#withSyntheticHistory(api, parsed.body, received);
    let conversation = body === parsed.body ? received : (api.readRequest(body) ?? received);
    if (hasCommands && conversation.items.some((item) => item.role === 'user' && item.text.includes('!/'))) {
      body = api.withUserTexts(body, withoutChatCommands, isCommandReply);
      conversation = api.readRequest(body) ?? received;
    }
    const isChanged = body !== parsed.body;
    const { previous, keepsHistory } = received;
    const history = new History({ items: conversation.items, previous, keepsHistory }, this.#keys);
    let session = lookup.find(name, history);
    if (session.openIncidents.length > 0) {
      const dismissed = await this.#deps.storage?.dismissed(session.openIncidents);
      if (dismissed !== undefined) session.rules.dismiss(dismissed);
      session = lookup.find(name, history);
    }
    while (session.judging !== undefined) {
      await session.judging;
      session = lookup.find(name, history);
    }
    const labels = { model: received.model, backend: this.#deps.backend ?? api.backend };
    trace.getActiveSpan()?.setAttributes({
      'gen_ai.request.model': labels.model ?? undefined,
      'gen_ai.conversation.id': session.id,
    });
    const result = hasCommands ? this.#runCommands(received, session, labels) : undefined;
    const exchange = new Exchange(
      this.#deps,
      {
        api,
        session,
        labels,
        conversation,
        history,
        body,
        raw: isChanged ? undefined : raw,
        upstreamRequest,
      },
      client,
    );
    if (result !== undefined && (result.isAll || result.refusals.length > 0)) {
      session.onUserMessage(lastText(received));
      exchange.sendSynthetic(textReply(commandReply(result.commands, result.refusals)));
      this.#store(session);
      return 'command';
    }
    if (hasDetectors(this.#planFor(session, labels))) {
      const prepared = await judged(session, inSlices(exchange.prepare()));
      if (typeof prepared !== 'string')
        this.#deps.metrics.addedLatency.observe(
          { api: api.kind },
          (performance.now() - parsed.receivedAt) / 1_000,
        );
      const outcome =
        typeof prepared === 'string'
          ? prepared
          : await this.#timed(labels, new ReplyRelay(exchange).run(prepared));
      // One that cannot be judged has ended as well.
      session.lineage.onReplyEnd();
      this.#store(session);
      return outcome;
    }
    if (result !== undefined) this.#store(session);
    if (!isChanged) return this.#pass(api, upstreamRequest, raw, client);
    const headers = withoutHeaders(upstreamRequest.headers, 'content-encoding');
    return this.#pass(api, { ...upstreamRequest, headers }, Buffer.from(JSON.stringify(body)), client);
  }

  /** Observes how long the model takes. */
  async #timed(labels: RequestLabels, running: Promise<RequestOutcome>): Promise<RequestOutcome> {
    const began = performance.now();
    const outcome = await running;
    const error = outcome === 'upstream_failed' || outcome === 'client_gone' ? outcome : undefined;
    this.#deps.metrics.client.observeDuration(labels, (performance.now() - began) / 1_000, error);
    return outcome;
  }

  /** If no detector is on anywhere, only requests that may hold commands are parsed. */
  #needsParsing(raw: Buffer, encoding: string | undefined): boolean {
    const { sessions, sessionSettings, commands } = this.#deps;
    if (this.#isAnyEnabled() || sessions.hasOwnSettings || sessionSettings.isAny) return true;
    return commands && (encoding !== undefined || raw.includes('!/'));
  }

  /** Stores the session's new messages in the background. */
  #store(session: GatewaySession): void {
    const { storage } = this.#deps;
    storage?.addMessages(session.id, session.takeMessages());
  }

  #isAnyEnabled(): boolean {
    const version = this.#deps.settings.current;
    if (this.#enabled?.version !== version) {
      const { plan, tiers } = version.detection;
      const isAny =
        hasDetectors(plan) || [...(tiers?.values() ?? [])].some((tier) => hasDetectors(tier.plan));
      this.#enabled = { version, isAny };
    }
    return this.#enabled.isAny;
  }

  /** If a request continues from a synthetic reply, which the upstream does not know, inlines what came before. */
  #withSyntheticHistory(api: Api, body: Json, { previous }: Conversation): Json {
    const earlier = previous === null ? undefined : this.#deps.sessions.syntheticReply(previous);
    if (earlier === undefined || api.withEarlier === undefined) return body;
    return api.withEarlier(body, earlier.request, isCommandReply(earlier.text) ? null : earlier.text);
  }

  /** Executes commands in the message that the user has just written, not those in the history. */
  #runCommands(
    { items }: Conversation,
    session: GatewaySession,
    labels: RequestLabels,
  ): CommandResult | undefined {
    const last = items.at(-1);
    if (last?.role !== 'user') return undefined;
    const commands = commandsIn(last.text);
    if (commands === undefined) return undefined;
    const refusals = session.runCommands(commands, labels, this.#deps.now());
    return { commands, refusals, isAll: commands.help || withoutChatCommands(last.text) === '' };
  }

  #planFor(session: GatewaySession, { model, backend }: RequestLabels): DetectionPlan {
    const { detection } = this.#deps.settings.current;
    if (session.rules.hasOwnSettings) return session.plan;
    return (detection.tiers?.get(`${backend}/${model ?? ''}`) ?? detection).plan;
  }

  #pass(
    api: Api,
    request: Omit<UpstreamRequest, 'body'>,
    body: Buffer,
    client: ClientResponse,
  ): Promise<RequestOutcome> {
    // The body may differ from the one whose length the client announced.
    const headers = withoutHeaders(request.headers, 'content-length');
    return passThrough(this.#deps, { ...request, headers, body }, client, api.kind);
  }

  #refuse(api: Api, client: ClientResponse, reason: 'too_large' | 'client_gone'): RequestOutcome {
    if (reason === 'client_gone') return 'client_gone';
    const limit = String(this.#deps.maxRequestBytes);
    const message = `The request is larger than ${limit} bytes (gateway.max_request_bytes).`;
    client.json(413, apiError(api.kind, 413, 'request_too_large', message), ['connection', 'close']);
    return 'refused';
  }
}

/** Makes other requests of the session wait until this one is judged. */
async function judged<T>(session: GatewaySession, judging: T | Promise<T>): Promise<T> {
  if (!(judging instanceof Promise)) return judging;
  session.judging = judging;
  try {
    return await judging;
  } finally {
    session.judging = undefined;
  }
}

function hasDetectors({ enabled, on }: DetectionPlan): boolean {
  return enabled && on.size > 0;
}

function lastText({ items }: Conversation): string {
  const last = items.at(-1);
  return last?.role === 'user' ? last.text : '';
}
