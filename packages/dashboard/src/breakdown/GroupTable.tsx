import type { Breakdown, BreakdownAmounts } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BreakdownView } from '../api/breakdown.ts';
import { formatCompact, formatNumber, formatRate, formatShare, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { Change } from './Change.tsx';
import { loopRate, spendShare } from './rates.ts';
import { dimensionText, incidentsOf } from './search.ts';

type Amounts = Breakdown['total'];
type Sum = 'incidents' | 'sessions' | 'calls' | 'tokens' | 'usd';

interface Column {
  readonly id: Sum | 'rate' | 'share';
  readonly name: string;
  /** Hidden where there is no room for all columns. */
  readonly isMinor?: true;
  readonly value: (amounts: BreakdownAmounts) => number | null;
  readonly text: (value: number, amounts: BreakdownAmounts) => string;
  readonly title?: (amounts: BreakdownAmounts) => string | undefined;
}

const columns: readonly Column[] = [
  { id: 'incidents', name: 'Loops', value: ({ incidents }) => incidents, text: formatNumber },
  {
    id: 'sessions',
    name: 'Sessions',
    isMinor: true,
    value: ({ sessions }) => sessions,
    text: (value, { activity }) => `${formatNumber(value)} of ${formatNumber(activity.sessions)}`,
    title: ({ sessions, activity }) =>
      `${formatNumber(sessions)} with loops, of ${plural(activity.sessions, 'session')}`,
  },
  {
    id: 'rate',
    name: 'Per 100 sessions',
    value: loopRate,
    text: formatRate,
    title: ({ incidents, activity }) =>
      `${plural(incidents, 'loop')} in ${plural(activity.sessions, 'session')}`,
  },
  { id: 'calls', name: 'Calls', isMinor: true, value: ({ calls }) => calls, text: formatCompact },
  { id: 'tokens', name: 'Tokens', value: ({ tokens }) => tokens, text: formatCompact },
  { id: 'usd', name: 'Cost', value: ({ usd }) => usd, text: formatUsd, title: unpriced },
  {
    id: 'share',
    name: 'Of spend',
    isMinor: true,
    value: spendShare,
    text: formatShare,
    title: ({ activity: { usd } }) => (usd === null ? 'Spend is unknown' : `Of ${formatUsd(usd)} in all`),
  },
];

const sums = ['incidents', 'sessions', 'calls', 'tokens', 'usd'] as const;

interface Props {
  readonly breakdown: Breakdown;
  readonly view: BreakdownView;
  readonly onSort: (sort: string) => void;
}

/** The groups, each with its share of the sort column and a link to its incidents. */
export function GroupTable({ breakdown: { groups, other, total }, view, onSort }: Props) {
  const by = sums.find((id) => view.sort === `-${id}`) ?? 'incidents';
  // Before the first loop, nothing can be new.
  const isCompared = (total.previous?.incidents ?? 0) > 0;
  // A share of the cost means nothing without a price.
  const unit = total[by] === null || total[by] === 0 ? 'incidents' : by;
  return (
    <div className="relative overflow-x-auto">
      <table className="table [&_td]:whitespace-nowrap [&_thead_th]:border-t-0 [&_thead_th]:align-bottom [&_thead_th]:leading-6 [&_tbody_tr]:relative [&_tbody_a]:after:absolute [&_tbody_a]:after:inset-0 [&_th]:first:w-[40%] [&_th]:first:min-w-30 [&_th]:first:wrap-anywhere [&_tfoot_:is(th,td)]:border-t-line2 [&_tfoot_:is(th,td)]:font-550 @max-[700px]/page:[--cell:4px] @max-[700px]/page:[&_[data-minor]]:hidden @max-[700px]/page:[&_th]:first:min-w-24 [&_tbody_tr]:[&:has(a)]:hover:bg-raise">
        <thead>
          <tr>
            <th scope="col">{sentence(dimensionText(view.groupBy))}</th>
            {columns.map(({ id, name, isMinor }) => {
              const on = view.sort === `-${id}`;
              return (
                <th key={id} data-minor={isMinor} scope="col" aria-sort={on ? 'descending' : undefined}>
                  <button
                    className="min-h-6 text-inherit whitespace-nowrap"
                    type="button"
                    onClick={() => onSort(`-${id}`)}
                  >
                    {on && <Icon name="down" size={10} />}
                    {name}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row
              key={group.value ?? ''}
              amounts={group}
              isCompared={isCompared}
              share={shareOf(group, total, unit)}
            >
              {group.value === null ? (
                <span className="text-ink2" title={`Their events have no ${dimensionText(view.groupBy)}`}>
                  unknown
                </span>
              ) : (
                <Link to="/incidents" search={incidentsOf(view, group.value)} activeProps={{}}>
                  {visibleText(group.value)}
                </Link>
              )}
            </Row>
          ))}
          {other !== null && (
            <Row amounts={other} isCompared={isCompared} share={shareOf(other, total, unit)}>
              <span className="text-ink2" title="Each has fewer than those above">
                other ({plural(other.values, 'value')})
              </span>
            </Row>
          )}
        </tbody>
        <tfoot>
          <Row amounts={total} isCompared={isCompared}>
            All
          </Row>
        </tfoot>
      </table>
    </div>
  );
}

function Row({
  amounts,
  share,
  isCompared,
  children,
}: {
  readonly amounts: Amounts;
  /** Whether there is anything to compare with. */
  readonly isCompared: boolean;
  readonly share?: number;
  readonly children: ReactNode;
}) {
  return (
    <tr>
      <th scope="row">
        {children}
        {share !== undefined && (
          <i
            className="mt-0.75 block h-1 rounded-full bg-accent"
            style={{ width: `${String(100 * share)}%` }}
          />
        )}
      </th>
      {columns.map(({ id, isMinor, value, text, title }) => {
        const now = value(amounts);
        const before = amounts.previous && value(amounts.previous);
        return (
          <td key={id} data-minor={isMinor} title={title?.(amounts)}>
            {now === null ? '–' : text(now, amounts)}
            {isCompared && <Change now={now} before={before} />}
          </td>
        );
      })}
    </tr>
  );
}

function shareOf(amounts: BreakdownAmounts, total: BreakdownAmounts, unit: Sum): number {
  return (amounts[unit] ?? 0) / Math.max(total[unit] ?? 0, Number.EPSILON);
}

function unpriced({ unpriced: count }: BreakdownAmounts): string | undefined {
  return count === 0 ? undefined : `Excludes ${plural(count, 'loop')} of unknown price`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
