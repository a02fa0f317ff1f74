import type { ServerInfo } from '@loopwatch/contract';
import { detectorFacts, detectorIds } from '@loopwatch/contract';
import type { EffectiveSetting, Status } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import type { Registry } from 'prom-client';
import type { BacktestJobs } from '../backtests/backtest-jobs.ts';
import { countedDeadLetters } from '../feed/dead-letter-records.ts';
import type { Feeds, ServerLog } from '../feed/feeds.ts';
import type { Readiness } from '../health.ts';
import { methodNotAllowed } from '../http/problem.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { NotificationsApiOptions } from '../notifications/notifications-api.ts';
import type { RetentionLimits } from '../retention/retention.ts';
import type { ConfiguredSettings } from '../settings/effective-settings.ts';
import { parseScope } from '../settings/scope.ts';
import { scopeSettings } from '../settings/settings-api.ts';
import { countOfIncidents, countOfSessions } from '../storage/sums.ts';
import { JudgeHealth } from './judge-health.ts';

export interface StatusApiOptions extends NotificationsApiOptions {
  readonly database: Database;
  readonly info: ServerInfo;
  readonly registry: Registry;
  readonly startedAt: number;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly readiness: () => Promise<Readiness>;
  readonly limits: RetentionLimits;
  readonly configured: ConfiguredSettings;
  readonly logKind: ServerLog['kind'];
  readonly feeds: Pick<Feeds, 'connection' | 'status'>;
  readonly live: Pick<LiveHub, 'clients' | 'sequence' | 'dropped'>;
  readonly jobs: Pick<BacktestJobs, 'counts'>;
  readonly links: Status['links'];
}

/** `GET /status`. */
export function statusApi(options: StatusApiOptions): Router {
  const router = Router();
  const judge = new JudgeHealth(options.registry, options.now);
  router
    .route('/status')
    .get(async (_request, response) => {
      const { database, info, startedAt, now, limits, logKind, feeds, live } = options;
      const { lastRunAt, dropped, ...sizes } = await databaseStatus(database);
      const { effective } = await scopeSettings(options, parseScope('server'));
      const status: Status = {
        ...info,
        startedAt,
        serverTime: now(),
        checks: await options.readiness(),
        log: {
          kind: logKind,
          ...feeds.connection,
          topics: feeds.status,
          deadLetters: await countedDeadLetters(database),
        },
        database: sizes,
        retention: { ...limits, dropped, lastRunAt },
        detectors: detectorStatus(effective),
        judge: await judge.read(),
        live: { clients: live.clients, sequence: live.sequence, dropped: live.dropped },
        backtests: options.jobs.counts,
        notifications: await options.notifications.status(),
        links: options.links,
      };
      response.json(status);
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/** Which detectors run, by the server's effective settings. */
function detectorStatus(effective: readonly EffectiveSetting[]): Status['detectors'] {
  const settings = new Map(effective.map((setting) => [setting.path, setting]));
  const isDetectionOn = settings.get('enabled')?.value === true;
  return detectorIds.map((id) => {
    const { value, note } = settings.get(`${detectorFacts[id].block}.enabled`) ?? {};
    const isEnabled = isDetectionOn && value === true;
    return { id, on: isEnabled && note === undefined, reason: (isEnabled && note) || null };
  });
}

type DatabaseStatus = Status['database'] & Pick<Status['retention'], 'dropped' | 'lastRunAt'>;

async function databaseStatus(database: Database): Promise<DatabaseStatus> {
  const [row] = await database.query<Omit<DatabaseStatus, 'kind'>>(
    `select split_part(version(), ' on ', 1) as version,
       (select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relkind = 'r')::float8 as bytes,
       (select count(*) from verdicts)::float8 as verdicts, ${countOfIncidents}::float8 as incidents,
       ${countOfSessions}::float8 as sessions, (select min(happened_at) from verdicts) as "oldestAt",
       t.incidents::float8 as dropped, t.last_run_at as "lastRunAt" from deleted_totals t`,
  );
  if (row === undefined) throw new Error('The table of retention sums has no row');
  return { kind: database.kind, ...row };
}
