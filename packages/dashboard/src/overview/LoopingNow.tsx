import { detectorIds, detectorKind } from '@loopwatch/contract';
import type { IncidentItem, Overview } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { costPerMinute, costShort } from '../incident/cost.ts';
import { LoopSummary, LoopTitle } from '../incidents/LoopSummary.tsx';
import { formatNumber, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { rowLinkClass } from '../list/RowLink.tsx';
import { StopSwitch } from '../session/switches/StopSwitch.tsx';
import { Ring } from '../ui/charts/Ring.tsx';
import { Sparkline } from '../ui/charts/Sparkline.tsx';
import { DetectorLabel, SampleChip } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';

/** Open loops, newest first; limits and outages that are open are only counted. */
export function LoopingNow({
  overview: { open, openByDetector, openItems, rate },
}: {
  readonly overview: Overview;
}) {
  const loops = detectorIds
    .filter((id) => detectorKind(id) === 'loop')
    .reduce((sum, id) => sum + (openByDetector[id] ?? 0), 0);
  const others = open - loops;
  const perMinute = costPerMinute(openItems);
  return (
    <Card
      title="Looping now"
      note={
        <>
          <Link
            className="text-accent"
            to="/incidents"
            search={{ open: 'true', kind: 'loop' }}
            activeProps={{}}
          >
            {loops <= openItems.length ? 'open loops' : `all ${formatNumber(loops)} open loops`}
          </Link>
          {perMinute !== undefined && ` · ${formatUsd(perMinute)} a minute`}
          {others > 0 && (
            <>
              {' · '}
              <Link
                className="text-accent"
                to="/incidents"
                search={{ open: 'true', kind: ['limit', 'outage'] }}
                activeProps={{}}
              >
                {plural(others, 'limit or outage', 'limits and outages')}
              </Link>
            </>
          )}
        </>
      }
      flush
    >
      {loops === 0 ? (
        <p className="px-4 py-6 text-center text-ink2">No session is looping.</p>
      ) : (
        <table
          className="mt-2 w-full border-collapse table-fixed [&_td]:h-14.25 [:where(&)_td]:px-3 [:where(&)_td]:py-1.5 [:where(&)_td]:truncate [:where(&)_td]:text-ink2 [&_thead_th]:px-3 [&_thead_th]:py-1.25 [&_thead_th]:text-left [&_thead_th]:text-xs [&_thead_th]:font-550 [&_thead_th]:text-ink3 [&_tbody_tr]:relative [&_tbody_tr]:border-t [&_th]:nth-3:w-[16%] [&_th]:nth-4:w-[16%] [&_:is(th,td)]:last:pr-4 @max-[760px]/page:[&_:is(th,td)]:nth-3:hidden @max-[900px]/page:[&_:is(th,td)]:nth-4:hidden @max-[520px]/page:[&_:is(th,td)]:nth-6:hidden [&_thead_th]:first:w-14.5 [&_thead_th]:nth-5:w-26 [&_thead_th]:nth-5:text-right [&_thead_th]:nth-6:w-26 [&_thead_th]:nth-6:text-right [&_thead_th]:nth-7:w-30 @max-[520px]/page:[&_thead_th]:nth-7:w-16 @max-[520px]/page:[&_td]:px-2 [&_tbody_tr]:hover:bg-raise/55 @max-[520px]/page:[&_thead_th]:nth-5:w-21"
          aria-label="Open loops, newest first"
        >
          <thead>
            <tr>
              <th scope="col">
                <span className="sr-only">Count</span>
              </th>
              <th scope="col">Loop</th>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col">Cost</th>
              <th scope="col">Detected</th>
              <th scope="col">
                <span className="sr-only">Stop</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {openItems.map((row) => (
              <Row
                key={row.id}
                row={row}
                loops={rate.agents.find(({ agent }) => agent === row.agent)?.loops}
              />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

interface RowProps {
  readonly row: IncidentItem;
  /** Loops of its agent over time. */
  readonly loops: readonly number[] | undefined;
}

function Row({ row, loops }: RowProps) {
  const { usd = '–', usage } = costShort(row);
  const perMinute = costPerMinute([row]);
  const agent = visibleText(row.agent ?? row.sessionId);
  return (
    <tr>
      <td className="pr-0 pl-4 py-0">
        <Ring detector={row.detector} count={row.count} threshold={row.threshold} period={row.period} />
      </td>
      <td className="text-ink">
        <Link
          className={`${rowLinkClass} block truncate @max-[520px]/page:line-clamp-2 @max-[520px]/page:whitespace-normal`}
          to="/incidents/$id"
          params={{ id: row.id }}
          title={row.reason}
        >
          <LoopTitle item={row} />
        </Link>
        <p className="flex gap-3 min-w-0 text-sm text-ink3 @max-[520px]/page:flex-wrap @max-[520px]/page:gap-x-2 @max-[520px]/page:gap-y-0">
          <DetectorLabel detector={row.detector} />
          {row.sample === true && <SampleChip />}
          <LoopSummary item={row} className="min-w-0 truncate @max-[760px]/page:hidden" />
          <code className="text-sm/[1.6] font-mono font-450 hidden overflow-hidden text-ellipsis @max-[760px]/page:inline">
            {agent}
          </code>
        </p>
      </td>
      <td title={agent}>
        {row.agent === null ? <code className="text-sm/[1.6] font-mono font-450">{agent}</code> : agent}
        {loops !== undefined && (
          <span className="block h-4 w-28 overflow-hidden [&_svg]:h-4">
            <Sparkline
              values={loops}
              text={`${plural(
                loops.reduce((sum, count) => sum + count, 0),
                'loop',
              )} of ${agent} in this time range`}
            />
          </span>
        )}
      </td>
      <td className="proportional-nums" title={row.model ?? undefined}>
        {visibleText(row.model ?? '–')}
      </td>
      <td className="text-right">
        {usd}
        <small className="block text-sm text-ink3">
          {perMinute === undefined ? usage : `${formatUsd(perMinute)}/min`}
        </small>
      </td>
      <td className="text-right">
        <Ago time={row.detectedAt} />
      </td>
      <td className="relative z-1 text-right">
        <StopSwitch sessionId={row.sessionId} stopped={row.sessionStopped === true} over={false} short />
      </td>
    </tr>
  );
}
