import type { Status } from '@loopwatch/contract/api';
import { Fragment, type ReactNode } from 'react';
import { formatNumber } from '../lib/format.ts';
import { Card } from '../ui/layout/Card.tsx';

/** The server's position in each partition, with the records that it set aside there. */
export function TopicsCard({ topics }: { readonly topics: Status['log']['topics'] }) {
  return (
    <Card title="Topics" note="the server’s next offset in each partition" flush>
      <div className="mt-2 overflow-x-auto" tabIndex={0} role="group" aria-label="Partitions">
        <table className="table [&_:is(th,td)]:whitespace-nowrap [&_td]:text-ink2 [&_tbody_th]:text-sm/[1.6] [&_tbody_th]:font-mono [&_:is(th,td)]:nth-2:text-left [&_td]:data-lagging:text-warm @max-[520px]/page:[--cell:8px] @max-[520px]/page:[&_th]:whitespace-normal @max-[520px]/page:[&_:is(th,td)]:nth-2:hidden">
          <thead>
            <tr>
              <th scope="col">Topic</th>
              <th scope="col">Role</th>
              <th scope="col">Partition</th>
              <th scope="col">Next offset</th>
              <th scope="col">Lag</th>
              <th scope="col">Not stored</th>
            </tr>
          </thead>
          <tbody>
            {topics.map((topic) => (
              <Fragment key={topic.role}>
                {topic.partitions.length === 0 ? (
                  <tr>
                    <th scope="row">{breakable(topic.name)}</th>
                    <td>{topic.role}</td>
                    <td colSpan={4}>{topic.read ? 'no partitions yet' : 'not read by the server'}</td>
                  </tr>
                ) : (
                  topic.partitions.map(({ partition, nextOffset, lag, setAside, latestSetAside }, index) => (
                    <tr key={partition}>
                      <th scope="row">
                        {index === 0 ? breakable(topic.name) : <span className="sr-only">{topic.name}</span>}
                      </th>
                      <td>{index === 0 && topic.role}</td>
                      <td>{partition}</td>
                      <td>{formatNumber(nextOffset)}</td>
                      <td data-lagging={(lag ?? 0) > 0 || undefined}>
                        {lag === null ? '–' : formatNumber(lag)}
                      </td>
                      <td
                        data-lagging={setAside > 0 || undefined}
                        title={
                          latestSetAside === null
                            ? undefined
                            : `Offset ${String(latestSetAside.offset)}: ${latestSetAside.detail}`
                        }
                      >
                        {formatNumber(setAside)}
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
  );
}

/** A name that may be broken after its dots. */
function breakable(name: string): ReactNode {
  return name.split(/(?<=\.)/).map((part) => (
    <Fragment key={part}>
      {part}
      <wbr />
    </Fragment>
  ));
}
