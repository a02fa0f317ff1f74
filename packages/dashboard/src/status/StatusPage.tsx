import type { NotificationStatus, Status } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
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
import styles from './StatusPage.module.css';

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
          <div className={styles['cards']}>
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
  const ok = bad.length === 0 && status.log.state === 'up';
  return (
    <span className={styles['health']} data-ok={ok || undefined} role="status">
      {ok
        ? 'Healthy'
        : `Unhealthy: ${[...bad.map(([name]) => name), ...(status.log.state === 'down' ? ['log'] : [])].join(', ')}`}
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
      <div className={styles['cards']}>
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
            ]}
          />
        </Card>
        <Card title="Database" note={database.kind === 'pglite' ? 'embedded' : 'Postgres'}>
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
            ]}
          />
        </Card>
        <Card title="Detectors" note="with the server’s settings">
          <ul className={styles['detectors']}>
            {status.detectors.map(({ id, on, reason }) => (
              <li key={id} data-off={!on || undefined}>
                <DetectorLabel detector={id} />
                <span>{on ? 'on' : reason === null ? 'off' : `off: ${reason}`}</span>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Links">
          <ul className={styles['links']}>
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
      <Card title="Topics" note="the server’s position in each partition" flush>
        <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Partitions">
          <table className={styles['topics']}>
            <thead>
              <tr>
                <th scope="col">Topic</th>
                <th scope="col">Role</th>
                <th scope="col">Partition</th>
                <th scope="col">Next offset</th>
                <th scope="col">Lag</th>
              </tr>
            </thead>
            <tbody>
              {log.topics.map((topic) => (
                <Fragment key={topic.role}>
                  {topic.partitions.length === 0 ? (
                    <tr>
                      <th scope="row">{topic.name}</th>
                      <td>{topic.role}</td>
                      <td colSpan={3}>{topic.read ? 'no partitions yet' : 'not read by the server'}</td>
                    </tr>
                  ) : (
                    topic.partitions.map(({ partition, position, lag }, index) => (
                      <tr key={partition}>
                        <th scope="row">
                          {index === 0 ? topic.name : <span className="unseen">{topic.name}</span>}
                        </th>
                        <td>{index === 0 && topic.role}</td>
                        <td>{partition}</td>
                        <td>{formatNumber(position)}</td>
                        <td data-lagging={(lag ?? 0) > 0 || undefined}>
                          {lag === null ? '–' : formatNumber(lag)}
                        </td>
                      </tr>
                    ))
                  )}
                </Fragment>
              ))}
            </tbody>
          </table>
        </div>
      </Card>
    </>
  );
}

function totalLag({ log }: Status): number | null {
  const lags = log.topics.flatMap(({ partitions }) => partitions.map(({ lag }) => lag));
  return lags.length === 0 || lags.includes(null)
    ? null
    : lags.reduce<number>((sum, lag) => sum + (lag ?? 0), 0);
}

function Check({ ok, text }: { readonly ok: boolean; readonly text: string }) {
  return (
    <span className={styles['check']} data-ok={ok || undefined}>
      <i />
      {text}
    </span>
  );
}

/** Delivery state of all notifications. */
function NotificationsCard({ items }: { readonly items: readonly NotificationStatus[] }) {
  const failing = items.filter(({ failingSince }) => failingSince !== null).map(({ name }) => name);
  const waiting = items.reduce((sum, item) => sum + item.waiting, 0);
  return (
    <Card title="Notifications" note={items.length === 0 ? 'none' : plural(items.length, 'receiver')}>
      <p>
        {items.length === 0
          ? 'No notifications are set up. '
          : failing.length > 0
            ? `Failing: ${failing.join(', ')}; ${plural(waiting, 'message')} pending. `
            : 'Messages are being delivered. '}
        <Link to="/notifications">{items.length === 0 ? 'Set one up' : 'Show receivers'}</Link>
      </p>
    </Card>
  );
}
