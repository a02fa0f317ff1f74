import type { IncomingMessage } from 'node:http';
import type { Detection, DetectionPlan } from '@loopwatch/detectors';
import { AnswerRelay } from './answer-relay.ts';
import type { Api } from './api/api.ts';
import type { Conversation, Json } from './api/conversation.ts';
import { parseObject } from './api/json.ts';
import { Exchange, type ExchangeDeps, ownId } from './exchange.ts';
import { apiError } from './http/api-error.ts';
import type { ClientResponse } from './http/client-response.ts';
import { requestHeaders, withoutHeaders } from './http/headers.ts';
import { passThrough } from './http/pass-through.ts';
import { readBody } from './http/read-body.ts';
import type { Target } from './http/target.ts';
import type { UpstreamRequest } from './http/upstream.ts';
import type { Outcome } from './metrics.ts';
import {
  type Commands,
  commandAnswer,
  commandsIn,
  isCommandAnswer,
  withoutCommands,
} from './session/commands.ts';
import type { GatewaySession, Labels } from './session/gateway-session.ts';
import { sessionName } from './session/session-id.ts';
import type { KeptSession, SessionKeeper } from './session/session-keeper.ts';
import type { SessionStore } from './session/session-store.ts';

export interface ModelRequestsDeps extends ExchangeDeps {
  readonly target: Target;
  readonly detection: Detection;
  readonly sessions: SessionStore;
  /** Where sessions are kept beyond memory; undefined: nowhere. */
  readonly keeper: SessionKeeper | undefined;
  /** Of the settings that sessions are watched by: what was kept under others is of no use. */
  readonly settingsHash: string;
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
  private readonly watchesAny: boolean;

  constructor(deps: ModelRequestsDeps) {
    this.deps = deps;
    const { plan, tiers } = deps.detection;
    this.watchesAny = watches(plan) || [...(tiers?.values() ?? [])].some((tier) => watches(tier.plan));
  }

  async handle(api: Api, incoming: IncomingMessage, client: ClientResponse): Promise<Outcome> {
    const { maxRequestBytes, target } = this.deps;
    const read = await readBody(incoming, maxRequestBytes);
    if (!read.ok) return this.refuse(api, client, read.why);
    const request = {
      method: incoming.method ?? 'POST',
      path: target.path(incoming.url ?? '/'),
      headers: requestHeaders(incoming.rawHeaders),
    };
    // Where nothing is watched nothing is looked at, unless somebody may be asking for it.
    const idle = !this.watchesAny && !this.deps.sessions.anyOwnSettings;
    if (idle && !(this.deps.commands && read.body.includes('!/')))
      return this.pass(api, request, read.body, client);
    const body = parseObject(read.body.toString('utf8'));
    const conversation = body && api.readRequest(body);
    if (body === undefined || conversation === undefined) return this.pass(api, request, read.body, client);
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
    const { sessions, now, commands: obeys } = this.deps;
    const { id } = sessionName(headers, asked, (answer) => sessions.ofAnswer(answer));
    const kept = await this.kept(id);
    const session = sessions.get(id, now(), kept);
    const labels = { model: asked.model, backend: this.deps.backend ?? api.backend };
    const obeyed = obeys ? this.obey(asked, session, labels) : undefined;
    let body = this.resumed(api, given, asked);
    let conversation = body === given ? asked : (api.readRequest(body) ?? asked);
    if (obeys && conversation.items.some((item) => item.role === 'user' && item.text.includes('!/'))) {
      body = api.withUserTexts(body, withoutCommands, isCommandAnswer);
      conversation = api.readRequest(body) ?? asked;
    }
    const exchange = new Exchange(
      this.deps,
      { api, session, labels, conversation, body, raw: body === given ? raw : undefined, request },
      client,
    );
    if (obeyed !== undefined && (obeyed.isAll || obeyed.refused.length > 0)) {
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
    return this.pass(api, request, body === given ? raw : Buffer.from(JSON.stringify(body)), client);
  }

  /** A session as it was kept, where memory does not have it. That nothing can be had of it fails no request. */
  private async kept(id: string): Promise<KeptSession | undefined> {
    const { keeper, sessions, settingsHash } = this.deps;
    if (keeper === undefined || sessions.has(id)) return undefined;
    try {
      const kept = await keeper.load(id);
      return kept?.settings === settingsHash ? kept : undefined;
    } catch (error) {
      this.deps.logger.error(
        { err: error, sessionId: id },
        'A session could not be loaded; it begins afresh',
      );
      return undefined;
    }
  }

  /** Nobody waits for it: the answer is on its way already. */
  private keep(session: GatewaySession): void {
    const { keeper, settingsHash, logger } = this.deps;
    keeper?.keep(session.id, session.snapshot(settingsHash)).catch((error: unknown) => {
      logger.error({ err: error, sessionId: session.id }, 'A session could not be kept');
    });
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
    return { commands, refused, isAll: commands.help || withoutCommands(last.text) === '' };
  }

  private planFor(session: GatewaySession, { model, backend }: Labels): DetectionPlan {
    const { detection } = this.deps;
    if (session.hasOwnSettings) return session.plan;
    return (detection.tiers?.get(`${backend}/${model ?? ''}`) ?? detection).plan;
  }

  private async pass(
    api: Api,
    request: Omit<UpstreamRequest, 'body'>,
    body: Buffer,
    client: ClientResponse,
  ): Promise<Outcome> {
    const { upstream, metrics } = this.deps;
    // The body may be another than the one that the client announced.
    const headers = withoutHeaders(request.headers, 'content-length');
    const result = await passThrough(upstream, { ...request, headers, body }, client, api.kind);
    if (result === 'passed') return 'passed';
    if (client.signal.aborted) return 'client_gone';
    metrics.upstreamFailures.inc({ failure: result.failure });
    return 'upstream_failed';
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
function watches(plan: DetectionPlan): boolean {
  const { enabled, tool, perTool, rounds, content, thought, toolLimit, turnLimit } = plan;
  if (!enabled) return false;
  if (tool.enabled || [...perTool.values()].some((own) => own.enabled)) return true;
  return [rounds, content, thought, toolLimit, turnLimit].some((rule) => rule !== null);
}
