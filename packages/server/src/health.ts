import { messageOf } from '@loopwatch/contract';
import { within } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import { type RequestHandler, Router } from 'express';
import { Gauge, type Registry } from 'prom-client';

/** Metrics in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export type Readiness = Record<string, { ok: boolean; detail?: string }>;

/** `/healthz` (liveness), `/readyz` (readiness) and `/metrics`. */
export function healthRoutes(readiness: () => Promise<Readiness>, metrics: Metrics): Router {
  return Router().use(healthChecks(readiness)).use(metricsRoute(metrics));
}

export function healthChecks(readiness: () => Promise<Readiness>): Router {
  const router = Router();
  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(getOnly);
  router
    .route('/readyz')
    .get(async (_request, response) => {
      const checks = await readiness();
      const ready = isReady(checks);
      response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', checks });
    })
    .all(getOnly);
  return router;
}

const DATABASE_MS = 5_000;

/**
 * Checks whether the database answers. One that is suspended, or behind a broken network, gets one question, not one for each probe.
 *
 * @param ms how long the answer may take
 */
export function databaseCheck(
  database: Pick<Database, 'kind' | 'query'>,
  ms = DATABASE_MS,
): () => Promise<Readiness[string]> {
  let answer: Promise<unknown> | undefined;
  return async () => {
    answer ??= database.query('select 1').finally(() => {
      answer = undefined;
    });
    try {
      await within(answer, ms, () => new Error(`The database has not answered for ${String(ms / 1_000)} s`));
      return { ok: true, detail: database.kind };
    } catch (error) {
      return { ok: false, detail: messageOf(error) };
    }
  };
}

function isReady(checks: Readiness): boolean {
  return Object.values(checks).every(({ ok }) => ok);
}

/** Adds readiness to the metrics, so that an alert can tell: a process that waits for Kafka is up, and scraped. */
export function measureReadiness(readiness: () => Promise<Readiness>, registry: Registry): void {
  new Gauge({
    name: 'loopwatch_ready',
    help: '1 if the process can do its work, as /readyz says, otherwise 0.',
    registers: [registry],
    async collect() {
      this.set(isReady(await readiness()) ? 1 : 0);
    },
  });
}

export function metricsRoute(metrics: Metrics): Router {
  const router = Router();
  router
    .route('/metrics')
    .get(async (_request, response) => {
      response.type(metrics.contentType).send(await metrics.metrics());
    })
    .all(getOnly);
  return router;
}

/** Other ports than the dashboard's have no problem details. */
const getOnly: RequestHandler = (_request, response) => {
  response.status(405).set('allow', 'GET').end();
};
