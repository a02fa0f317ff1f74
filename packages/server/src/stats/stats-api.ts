import type { IncidentStats } from '@loopwatch/contract';
import type { Stats } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { methodNotAllowed } from '../http/problem.ts';
import { sessionStateSql } from '../storage/state-sql.ts';
import { breakdown } from './breakdown.ts';
import { rangeStats } from './range-stats.ts';
import { readStatsQuery } from './stats-query.ts';

export interface StatsApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly current: () => Promise<IncidentStats>;
  readonly lag: () => number | null;
}

/** `GET /stats`. */
export function statsApi({ database, now, current, lag }: StatsApiOptions): Router {
  const router = Router();
  router
    .route('/stats')
    .get(async (request, response) => {
      const at = now();
      const asked = readStatsQuery(request.query, at);
      if ('groupBy' in asked) {
        response.json(await breakdown(database, asked, at));
        return;
      }
      const { range } = asked;
      const [live] = await database.query<{ sessions: number }>(
        `select count(*)::float8 as sessions from sessions where state = 'live' and ${sessionStateSql('$1')} = 'live'`,
        [at],
      );
      const stats: Stats = {
        ...range,
        ...(await rangeStats(database, range, at)),
        lag: lag(),
        activeSessions: live?.sessions ?? 0,
        current: await current(),
      };
      response.json(stats);
    })
    .all(methodNotAllowed('GET'));
  return router;
}
