import { Router } from 'express';

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
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const checks = await readiness();
    const ready = Object.values(checks).every(({ ok }) => ok);
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', checks });
  });
  return router;
}

export function metricsRoute(metrics: Metrics): Router {
  const router = Router();
  router.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  return router;
}
