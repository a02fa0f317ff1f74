import type { ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

export interface HealthCheck {
  readonly ok: boolean;
  readonly detail: string;
}

/** The checks of `/readyz`. */
export interface GatewayHealth {
  /** The event log. */
  readonly log: HealthCheck;
  readonly database: HealthCheck;
  /** The `control` topic, with settings changed in the dashboard. */
  readonly settings: HealthCheck;
  readonly upstream: string;
}

const healthPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether {@link answerHealth} answers a path. */
export function isHealthPath(path: string): boolean {
  return healthPaths.has(path.split('?', 1)[0] ?? '');
}

/** Answers `/healthz`, `/readyz` and `/metrics`, with any query. @returns false for another path */
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
      // Always ready: requests are served even if nothing else is available.
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
