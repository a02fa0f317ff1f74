import { MIN_SESSIONS, type WeeklyReport } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { loopRate } from '../breakdown/rates.ts';
import { LoopTitle } from '../incidents/LoopSummary.tsx';
import { formatNumber, formatRate, formatUsd } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DetectorLabel } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';

interface Props {
  readonly report: WeeklyReport;
}

/** Agents whose sessions loop clearly more often than in the week before. */
export function WorseAgents({ report: { worse, from, to } }: Props) {
  return (
    <Card title="Agents that got worse" note="clearly more loops per session than the week before" flush>
      {worse.length === 0 ? (
        <p className="px-4 py-4 text-ink2">
          None, among agents with at least {MIN_SESSIONS} sessions in both weeks.
        </p>
      ) : (
        <Table names={['Agent', 'Per 100 sessions', 'Sessions', 'Before', 'Wasted']}>
          {worse.map((agent) => (
            <tr key={agent.value}>
              <th scope="row">
                <Link
                  className="text-accent hover:underline"
                  to="/incidents"
                  search={{ agent: agent.value, kind: 'loop', from: String(from), to: String(to) }}
                  activeProps={{}}
                >
                  {visibleText(agent.value)}
                </Link>
              </th>
              <td className="font-600 text-hot">{rateText(loopRate(agent))}</td>
              <td>{formatNumber(agent.activity.sessions)}</td>
              <td>{rateText(agent.previous === undefined ? null : loopRate(agent.previous))}</td>
              <td>{agent.usd === null ? '–' : formatUsd(agent.usd)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

export function ExpensiveLoops({ report: { loops } }: Props) {
  return (
    <Card title="Most expensive loops" flush>
      {loops.length === 0 ? (
        <p className="px-4 py-4 text-ink2">No loops in this week.</p>
      ) : (
        <Table names={['Loop', 'Agent', 'Calls', 'Cost']}>
          {loops.map((loop) => (
            <tr key={loop.id}>
              <th scope="row">
                <Link
                  className="text-accent hover:underline"
                  to="/incidents/$id"
                  params={{ id: loop.id }}
                  activeProps={{}}
                >
                  <LoopTitle item={loop} />
                </Link>
                <small className="block text-sm font-450">
                  <DetectorLabel detector={loop.detector} />
                </small>
              </th>
              <td>{visibleText(loop.agent ?? '–')}</td>
              <td>{formatNumber(loop.cost.calls)}</td>
              <td>{loop.cost.usd == null ? '–' : formatUsd(loop.cost.usd)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

function Table({ names, children }: { readonly names: readonly string[]; readonly children: ReactNode }) {
  return (
    <table className="table mt-2 [&_th]:wrap-anywhere [&_thead_th]:whitespace-nowrap [&_td]:whitespace-nowrap [&_tbody_th]:font-550 max-sm:[--cell:6px] max-sm:[&_:is(th,td)]:nth-3:hidden">
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function rateText(rate: number | null): string {
  return rate === null ? '–' : formatRate(rate);
}
