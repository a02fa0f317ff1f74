import { type BreakdownAmounts, differenceOf, rate, type WeeklyReport } from '@loopwatch/contract/api';
import { loopRate, spendShare } from '../breakdown/rates.ts';
import { formatNumber, formatRate, formatShare, formatUsd, plural } from '../lib/format.ts';
import { type RateFigure, Was } from '../page/Was.tsx';

interface Figure {
  readonly name: string;
  readonly figure: RateFigure;
  readonly format: (value: number) => string;
  readonly note?: string;
}

/** The key figures of a week, each with the one of the week before. */
export function ReportFigures({ total }: Pick<WeeklyReport, 'total'>) {
  const figures = figuresOf(total);
  return (
    <dl className="surface grid grid-cols-6 @max-[1000px]/page:grid-cols-3 @max-[520px]/page:grid-cols-2 [&>div]:px-4 [&>div]:py-3">
      {figures.map(({ name, figure, format, note }) => (
        <div key={name} className="min-w-0">
          <dt className="text-sm font-500 text-ink2">{name}</dt>
          <dd className="text-2xl/[1.25] font-620 tracking-[-0.02em]">
            {figure.now === null ? '–' : format(figure.now)}
            <span className="block [&>small]:ml-0">
              <Was figure={figure} format={format} period="week" />
            </span>
          </dd>
          {note !== undefined && <dd className="text-xs text-ink3">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function figuresOf(total: WeeklyReport['total']): Figure[] {
  const { previous } = total;
  // A week without sessions is nothing to compare with.
  const before = previous === undefined || previous.activity.sessions === 0 ? undefined : previous;
  const compared = (value: (amounts: BreakdownAmounts) => number | null): RateFigure => ({
    now: value(total),
    before: before === undefined ? null : value(before),
  });
  return [
    { name: 'Sessions', figure: compared(({ activity }) => activity.sessions), format: formatNumber },
    { name: 'Loops', figure: compared(({ incidents }) => incidents), format: formatNumber },
    {
      name: 'Loops per 100 sessions',
      figure: { ...compared(loopRate), ...(before !== undefined && { difference: changeOf(total, before) }) },
      format: formatRate,
    },
    {
      name: 'Spend',
      figure: compared(({ activity }) => activity.usd),
      format: formatUsd,
      ...(total.activity.unpriced > 0 && {
        note: `without ${plural(total.activity.unpriced, 'session')} of unknown price`,
      }),
    },
    {
      name: 'Wasted',
      figure: compared(({ usd, incidents }) => (incidents === 0 ? 0 : usd)),
      format: formatUsd,
      ...(total.unpriced > 0 && { note: `without ${plural(total.unpriced, 'loop')} of unknown price` }),
    },
    { name: 'Share of spend wasted', figure: compared(spendShare), format: formatShare },
  ];
}

function changeOf(now: BreakdownAmounts, before: BreakdownAmounts) {
  const estimate = ({ incidents, activity }: BreakdownAmounts) => rate(incidents, activity.sessions);
  const fewest = Math.min(now.activity.sessions, before.activity.sessions);
  return differenceOf(estimate(before), estimate(now), fewest);
}
