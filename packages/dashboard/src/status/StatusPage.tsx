import type { NotificationStatus, Status } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { statusQuery } from '../api/status.ts';
import { useNow } from '../lib/clock.ts';
import { formatBytes, formatDuration, formatNumber, plural } from '../lib/format.ts';
import { useLive } from '../live/context.ts';
import { Page } from '../page/Page.tsx';
import { DetectorLabel } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { Check, deadLettersFact, judgeFact, setAsideFact, totalLag } from './facts.tsx';
import { TopicsCard } from './TopicsCard.tsx';

/** Health of the server: connections, consumer lag, storage and retention. */
export function StatusPage() {
  const query = useQuery(statusQuery);
  return (
    <Page
      title="Status"
      note={query.data !== undefined && <Health status={query.data} />}
      actions={
        query.data !== undefined && (
          <CopyButton what="as JSON" text={() => JSON.stringify(query.data, null, 2)} />
        )
      }
    >
      <Async
        query={query}
        what="the status"
        skeleton={
          <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,320px),1fr))] gap-4">
            <Skeleton height={200} what="the server" />
            <Skeleton height={200} what="the log" />
            <Skeleton height={200} what="the database" />
          </div>
        }
      >
        {(status) => <Cards status={status} />}
      </Async>
    </Page>
  );
}

function Health({ status }: { readonly status: Status }) {
  const bad = Object.entries(status.checks).filter(([, { ok }]) => !ok);
  const isJudgeFailing = status.judge?.failing === true;
  const ok = bad.length === 0 && status.log.state === 'up' && !isJudgeFailing;
  return (
    <span className="text-hot font-550 data-ok:text-ok" data-ok={ok || undefined} role="status">
      {ok
        ? 'Healthy'
        : `Unhealthy: ${[...bad.map(([name]) => name), ...(status.log.state === 'down' ? ['log'] : []), ...(isJudgeFailing ? ['semantic judge'] : [])].join(', ')}`}
    </span>
  );
}

function Cards({ status }: { readonly status: Status }) {
  const { log, database, retention, live, backtests } = status;
  const now = useNow();
  const lag = totalLag(status);
  const dropped = useLive((state) => state.dropped);
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,320px),1fr))] gap-4">
        <Card title="Server">
          <Facts
            facts={[
              ['version', status.version],
              ['dashboard build', import.meta.env.VITE_COMMIT ?? 'unknown'],
              ['preset', status.preset],
              ['config', <code key="c">{status.configHash}</code>],
              ['up for', formatDuration(Math.max(0, now - status.startedAt))],
              ...Object.entries(status.checks).map(([name, { ok, detail }]): [string, ReactNode] => [
                name,
                <Check key={name} ok={ok} text={detail ?? (ok ? 'ok' : 'not ready')} />,
              ]),
            ]}
          />
        </Card>
        <Card title="Event log" note={log.kind === 'kafka' ? 'Kafka' : 'embedded'}>
          <Facts
            facts={[
              ['connection', <Check key="l" ok={log.state === 'up'} text={log.reason ?? log.state} />],
              ['lag', lag === null ? 'unknown' : plural(lag, 'record')],
              ['partitions read', formatNumber(log.topics.flatMap(({ partitions }) => partitions).length)],
              ...setAsideFact(status),
              ...status.log.deadLetters.map((letters) => deadLettersFact(letters, now)),
            ]}
          />
        </Card>
        <Card title="Database" note={database.kind === 'pglite' ? 'embedded' : 'PostgreSQL'}>
          <Facts
            facts={[
              ['version', database.version],
              ['size', formatBytes(database.bytes)],
              ['verdicts', formatNumber(database.verdicts)],
              ['incidents', formatNumber(database.incidents)],
              ['sessions', formatNumber(database.sessions)],
              ['oldest', database.oldestAt === null ? 'none yet' : <Ago key="o" time={database.oldestAt} />],
              [
                'retention',
                [
                  retention.days === null ? 'no time limit' : plural(retention.days, 'day'),
                  retention.megabytes === null ? 'no size limit' : `${formatNumber(retention.megabytes)} MB`,
                ].join(', '),
              ],
              ['deleted', plural(retention.dropped, 'incident')],
              [
                'last cleanup',
                retention.lastRunAt === null ? 'none yet' : <Ago key="r" time={retention.lastRunAt} />,
              ],
            ]}
          />
        </Card>
        <Card title="Live updates and jobs">
          <Facts
            facts={[
              ['connected clients', formatNumber(live.clients)],
              ['latest sequence', formatNumber(live.sequence)],
              ['coalesced updates', formatNumber(live.dropped)],
              ['coalesced in this tab', formatNumber(dropped)],
              ['backtests running', formatNumber(backtests.running)],
              ['backtests queued', formatNumber(backtests.queued)],
              ...judgeFact(status),
            ]}
          />
        </Card>
        <Card title="Detectors" note="with the server’s settings">
          <ul className="grid gap-1.5">
            {status.detectors.map(({ id, on, reason }) => (
              <li
                className="flex justify-between gap-4 data-off:text-ink3"
                key={id}
                data-off={!on || undefined}
              >
                <DetectorLabel detector={id} />
                <span className="text-right">{on ? 'on' : reason === null ? 'off' : `off: ${reason}`}</span>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Links">
          <ul className="grid gap-1.5 [&_a]:text-accent">
            <li>
              <a href="/metrics">Prometheus metrics</a>
            </li>
            <li>
              <a href="/api/v1/openapi.json">OpenAPI document</a>
            </li>
            <li>
              <a href="/healthz">Health</a> and <a href="/readyz">readiness</a>
            </li>
          </ul>
        </Card>
      </div>
      <NotificationsCard items={status.notifications} />
      <TopicsCard topics={log.topics} />
    </>
  );
}

/** Delivery state of all receivers. */
function NotificationsCard({ items }: { readonly items: readonly NotificationStatus[] }) {
  const failing = items.filter(({ failingSince }) => failingSince !== null).map(({ name }) => name);
  const waiting = items.reduce((sum, item) => sum + item.waiting, 0);
  return (
    <Card title="Notifications" note={items.length === 0 ? 'none' : plural(items.length, 'receiver')}>
      <p>
        {items.length === 0
          ? 'No receivers are set up. '
          : failing.length > 0
            ? `Failing: ${failing.join(', ')}; ${plural(waiting, 'message')} waiting. `
            : 'Messages are being delivered. '}
        <Link className="underline" to="/notifications">
          {items.length === 0 ? 'Set one up' : 'Show receivers'}
        </Link>
      </p>
    </Card>
  );
}
