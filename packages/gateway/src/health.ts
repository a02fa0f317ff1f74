import type { ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

interface Check {
  readonly ok: boolean;
  readonly detail: string;
}

/** What the gateway says of itself. */
export interface GatewayHealth {
  readonly log: Check;
  readonly database: Check;
  /** Settings made in the dashboard. */
  readonly settings: Check;
  readonly upstream: string;
}

/** Answers `/healthz`, `/readyz` and `/metrics`, whatever query they come with. @returns false for another path */
export async function answerHealth(
  path: string,
  response: ServerResponse,
  health: () => GatewayHealth,
  registry: Registry,
): Promise<boolean> {
  switch (path.split('?', 1)[0]) {
    case '/healthz':
      json(response, { status: 'ok' });
      return true;
    case '/readyz': {
      const { upstream, ...checks } = health();
      // Requests are served whether or not anything else can be reached.
      json(response, {
        status: 'ready',
        checks: { gateway: { ok: true, detail: `upstream ${upstream}` }, ...checks },
      });
      return true;
    }
    case '/metrics':
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
      return true;
    default:
      return false;
  }
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
