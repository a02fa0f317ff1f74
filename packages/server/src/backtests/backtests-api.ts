import { type BacktestList, type BacktestRequest, backtestRequestSchema } from '@loopwatch/contract/api';
import { detectionOf, withScope, withScopes } from '@loopwatch/detectors/internal';
import type { RecordReader } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { userName } from '../security/user.ts';
import type { ConfiguredSettings } from '../settings/effective-settings.ts';
import { allSettings } from '../settings/stored-settings.ts';
import type { BacktestJobs } from './backtest-jobs.ts';
import { runBacktest, type Variant } from './run-backtest.ts';
import { selectSessions } from './select-sessions.ts';

export interface BacktestsApiOptions {
  readonly database: Database;
  readonly records: RecordReader;
  readonly configured: ConfiguredSettings;
  readonly jobs: BacktestJobs;
}

/** `/backtests` and `/backtests/:id`. */
export function backtestsApi({ database, records, configured, jobs }: BacktestsApiOptions): Router {
  const router = Router();
  router
    .route('/backtests')
    .get((_request, response) => {
      const list: BacktestList = { items: jobs.list() };
      response.json(list);
    })
    .post(jsonBody(), async (request, response) => {
      const body = parseBody(request, backtestRequestSchema);
      const variants = await variantsOf(database, configured, body.variants);
      const sessions = await selectSessions(database, body.sessions);
      const job = jobs.add({
        total: sessions.length,
        variants: variants.map(({ name }) => name),
        by: userName(request),
        run: (signal, onProgress) => runBacktest({ reader: records, sessions, variants, signal, onProgress }),
      });
      response.status(202).json(job);
    })
    .all(methodNotAllowed('GET, POST'));
  router
    .route('/backtests/:id')
    .get((request, response) => {
      response.json(jobs.get(request.params.id));
    })
    .delete((request, response) => {
      response.json(jobs.cancel(request.params.id));
    })
    .all(methodNotAllowed('GET, DELETE'));
  return router;
}

/** @throws HttpProblem 400 for invalid settings */
async function variantsOf(
  database: Database,
  configured: ConfiguredSettings,
  wanted: BacktestRequest['variants'],
): Promise<Variant[]> {
  const shared = (await allSettings(database)).filter(({ scope }) => !scope.startsWith('session:'));
  const { settings } = withScopes(configured.settings, new Map(shared.map(({ scope, set }) => [scope, set])));
  const errors: { path: string; detail: string }[] = [];
  const variants = wanted.flatMap(({ name, set }, index) => {
    const result = withScope(settings, 'server', set);
    if (!('refused' in result)) return [{ name, detection: detectionOf(result.settings) }];
    errors.push({ path: `variants.${String(index)}.set`, detail: `${name}: ${result.refused}` });
    return [];
  });
  if (errors.length > 0)
    throw new HttpProblem(400, errors.map(({ detail }) => detail).join('; '), { errors });
  return variants;
}
