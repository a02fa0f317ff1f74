import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { endRequestSpan, inRequestSpan } from '@loopwatch/telemetry';
import { trace } from '@opentelemetry/api';
import type { Registry } from 'prom-client';
import type { Api } from '../api/api.ts';
import { mayAskModel, routeOf } from '../api/apis.ts';
import { answerHealth, type GatewayHealth, isHealthPath } from '../health.ts';
import { type ApiKind, apiError } from '../http/api-error.ts';
import { ClientResponse } from '../http/client-response.ts';
import { requestHeaders } from '../http/headers.ts';
import { requestPath, type Target } from '../http/request-path.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { BackgroundDeps, BackgroundReplies } from './background-replies.ts';
import type { ModelRequestHandler } from './model-request-handler.ts';
import { type PassThroughDeps, passThrough } from './pass-through.ts';
import { scanForPrompt } from './unjudged-requests.ts';

export interface RequestRouterDeps extends PassThroughDeps, BackgroundDeps {
  readonly background: BackgroundReplies;
  readonly target: Target;
  readonly models: ModelRequestHandler;
  readonly registry: Registry;
  readonly health: () => GatewayHealth;
}

/** RFC 9110 asks for both headers in a 426 response. */
const upgradeToHttp = ['upgrade', 'HTTP/1.1', 'connection', 'Upgrade'];

const isWebSocket = /\bwebsocket\b/i;
const streamed = /[?&]stream=true\b/;

/** Routes a request by its path: to the API that it calls, to health and metrics, or unchanged to the upstream. */
export class RequestRouter {
  readonly #deps: RequestRouterDeps;

  constructor(deps: RequestRouterDeps) {
    this.#deps = deps;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming;
    const path = requestPath(url);
    if (isHealthPath(url)) return this.#handle(incoming, response, path, undefined);
    const { end, api } = (path === undefined ? undefined : routeOf(method, path)) ?? {};
    const name = end === undefined ? method : `${method} ${end}`;
    const closed = new Promise((resolve) => response.once('close', resolve));
    await inRequestSpan(incoming, name, { 'url.scheme': 'http', 'http.route': end }, async (span) => {
      await this.#handle(incoming, response, path, api);
      await closed;
      endRequestSpan(span, response.statusCode);
    });
  }

  async #handle(
    incoming: IncomingMessage,
    response: ServerResponse,
    path: string | undefined,
    api: Api | undefined,
  ): Promise<void> {
    const client = new ClientResponse(response);
    if (path === undefined) {
      const message =
        'The path must not have "." or ".." segments: they could leave the path of the upstream.';
      client.json(400, apiError('other', 400, 'bad_path', message));
      this.#count('other', 'refused');
      return;
    }
    // Java's client offers an upgrade to HTTP/2 with each request; such an offer may be ignored.
    if (isWebSocket.test(incoming.headers.upgrade ?? '') && routeOf('POST', path) !== undefined) {
      const message = 'The gateway does not speak WebSocket. Use HTTP, with or without streaming.';
      client.json(426, apiError('other', 426, 'upgrade_required', message), upgradeToHttp);
      this.#count('other', 'refused');
      return;
    }
    const { models, background, health, registry, logger } = this.#deps;
    const kind: ApiKind = api?.kind ?? 'other';
    try {
      if (api === undefined) {
        if (await answerHealth(path, response, health, registry)) return;
        const replyId = background.idIn(incoming.method ?? '', path);
        if (replyId === undefined) this.#count(kind, await this.#pass(incoming, path, client));
        else this.#count('responses', await this.#fetchReply(replyId, incoming, path, client));
      } else this.#count(kind, await models.handle(api, incoming, path, client));
    } catch (error) {
      logger.error({ err: error }, 'Request failed in the gateway. This is a bug: please report it.');
      if (client.started) client.cut();
      else client.json(500, apiError(kind, 500, 'gateway_failed', 'Internal error of the gateway.'));
    }
  }

  #fetchReply(
    id: string,
    { method = 'GET', rawHeaders }: IncomingMessage,
    path: string,
    client: ClientResponse,
  ): Promise<RequestOutcome> {
    const headers = requestHeaders(rawHeaders);
    const request = { method, path: this.#deps.target.path(path), headers, body: null };
    if (streamed.test(path)) {
      this.#deps.unjudged.note('/responses/{id}?stream=true', 'background');
      return passThrough(this.#deps, request, client, 'responses');
    }
    return this.#deps.background.fetch(this.#deps, id, request, client);
  }

  /** Forwards a request of no known API. */
  #pass(incoming: IncomingMessage, path: string, client: ClientResponse): Promise<RequestOutcome> {
    const { headers, method = 'GET', rawHeaders } = incoming;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const request = {
      method,
      path: this.#deps.target.path(path),
      headers: requestHeaders(rawHeaders),
      body: hasBody ? this.#scanned(incoming, path) : null,
    };
    const kind = headers['anthropic-version'] === undefined ? 'other' : 'messages';
    return passThrough(this.#deps, request, client, kind);
  }

  /** The unchanged body; if it looks like a request to a model, it is counted as unjudged. */
  #scanned(incoming: IncomingMessage, path: string): Readable {
    const type = (incoming.headers['content-type'] ?? 'json').toLowerCase();
    if (!type.includes('json') || !mayAskModel(incoming.method ?? '', path)) return incoming;
    const scan = scanForPrompt(() => {
      this.#deps.unjudged.note(path, 'path');
    });
    incoming.once('close', () => {
      if (!incoming.complete) scan.destroy();
    });
    return incoming.pipe(scan);
  }

  #count(api: ApiKind, outcome: RequestOutcome): void {
    trace.getActiveSpan()?.setAttribute('loopwatch.gateway.outcome', outcome);
    this.#deps.metrics.requests.inc({ api, outcome });
  }
}
