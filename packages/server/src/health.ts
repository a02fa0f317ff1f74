import { Router } from 'express';
import type { Registry } from 'prom-client';

export type Readiness = Record<string, { ok: boolean; detail?: string }>;

/** `/healthz` (the process answers), `/readyz` (what it needs is there) and `/metrics`. */
export function healthRoutes(readiness: () => Promise<Readiness>, registry: Registry): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const checks = await readiness();
    const ready = Object.values(checks).every(({ ok }) => ok);
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready', checks });
  });
  router.get('/metrics', async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}
