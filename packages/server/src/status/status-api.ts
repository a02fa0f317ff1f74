import type { ServerInfo } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import type { Readiness } from '../health.ts';
import { methodNotAllowed } from '../http/problem.ts';
import type { NotificationsApiOptions } from '../notifications/notifications-api.ts';
import type { RetentionLimits } from '../retention/retention.ts';

export interface StatusApiOptions extends NotificationsApiOptions {
  readonly database: Database;
  readonly info: ServerInfo;
  readonly startedAt: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly readiness: () => Promise<Readiness>;
  readonly limits: RetentionLimits;
  readonly logStatus: () => Status['log'];
  readonly detectors: () => Promise<Status['detectors']>;
  readonly liveStatus: () => Status['live'];
  readonly backtestStatus: () => Status['backtests'];
  readonly links: Status['links'];
}

/** `GET /status`. */
export function statusApi(options: StatusApiOptions): Router {
  const router = Router();
  router
    .route('/status')
    .get(async (_request, response) => {
      const { database, info, startedAt, now, limits } = options;
      const { lastRunAt, dropped, ...sizes } = await databaseStatus(database);
      const status: Status = {
        ...info,
        startedAt,
        serverTime: now(),
        checks: await options.readiness(),
        log: options.logStatus(),
        database: sizes,
        retention: { ...limits, dropped, lastRunAt },
        detectors: await options.detectors(),
        live: options.liveStatus(),
        backtests: options.backtestStatus(),
        notifications: await options.notifications.status(),
        links: options.links,
      };
      response.json(status);
    })
    .all(methodNotAllowed('GET'));
  return router;
}

type DatabaseStatus = Status['database'] & Pick<Status['retention'], 'dropped' | 'lastRunAt'>;

async function databaseStatus(database: Database): Promise<DatabaseStatus> {
  const [row] = await database.query<Omit<DatabaseStatus, 'kind'>>(
    `select split_part(version(), ' on ', 1) as version,
       (select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relkind = 'r')::float8 as bytes,
       (select count(*) from verdicts)::float8 as verdicts, (select count(*) from incidents)::float8 as incidents,
       (select count(*) from sessions)::float8 as sessions, (select min(detected_at) from verdicts) as "oldestAt",
       dropped.incidents::float8 as dropped, dropped.last_run_at as "lastRunAt" from dropped`,
  );
  if (row === undefined) throw new Error('The sums of what was removed always have a row');
  return { kind: database.kind, ...row };
}
