import { weeklyReportQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { SharedResult } from './shared-result.ts';
import { weeklyReport } from './weekly-report.ts';

export interface ReportsApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `GET /reports/weekly`. */
export function reportsApi({ database, now }: ReportsApiOptions): Router {
  const router = Router();
  const shared = new SharedResult({
    read: ({ week }: { week?: string }, at) => weeklyReport(database, week, at),
    now,
    minAgeMs: 1_000,
    maxShare: 0.05,
    maxAgeMs: 60_000,
  });
  router
    .route('/reports/weekly')
    .get(async (request, response) => {
      const { week } = parseQuery(request.query, weeklyReportQuerySchema);
      response.json(await shared.get(week === undefined ? {} : { week }));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
