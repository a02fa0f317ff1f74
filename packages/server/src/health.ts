import { type RequestHandler, Router } from 'express';

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
      const ready = Object.values(checks).every(({ ok }) => ok);
      response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', checks });
    })
    .all(getOnly);
  return router;
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
