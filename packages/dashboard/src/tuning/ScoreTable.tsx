import { formatNumber, formatShare } from '../lib/format.ts';
import type { Score } from './score.ts';

interface Props {
  readonly scores: readonly { readonly name: string; readonly score: Score }[];
}

/** Variants side by side: incidents, precision and recall. */
export function ScoreTable({ scores }: Props) {
  const rows: [string, string, (score: Score) => string][] = [
    ['Incidents', 'that would open', ({ incidents }) => formatNumber(incidents)],
    ['Flagged sessions', 'with at least one incident', ({ flagged }) => formatNumber(flagged)],
    ['Precision', 'loops among flagged, triaged sessions', ({ precision }) => formatShare(precision)],
    ['Recall', 'flagged among loops', ({ recall }) => formatShare(recall)],
    [
      'False positives',
      'flagged but not a loop',
      ({ falsePositives, trueNegatives }) =>
        falsePositives + trueNegatives === 0 ? '–' : formatNumber(falsePositives),
    ],
    [
      'Missed',
      'loops not flagged',
      ({ truePositives, falseNegatives }) =>
        truePositives + falseNegatives === 0 ? '–' : formatNumber(falseNegatives),
    ],
  ];
  return (
    <table className="w-full border-collapse [&_th]:px-0 [&_th]:py-1.5 [&_th]:border-t [&_th]:font-450 [&_th]:text-right [&_thead_th]:pt-0 [&_thead_th]:border-t-0 [&_thead_th]:text-xs [&_thead_th]:font-550 [&_thead_th]:text-ink3 [&_th_small]:text-sm [&_th_small]:font-450 [&_th_small]:text-ink3 @max-[560px]/page:[&_th_small]:hidden [&_th]:first:text-left [&_th]:first:font-500">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">Metric</span>
          </th>
          {scores.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, note, value]) => {
          const values = scores.map(({ score }) => value(score));
          return (
            <tr key={name}>
              <th scope="row">
                {name} <small>{note}</small>
              </th>
              {values.map((text, index) => (
                <td
                  className="px-0 py-1.5 border-t text-right w-24 text-lg font-600 @max-[560px]/page:w-16 data-differs:text-accent"
                  key={scores[index]?.name}
                  data-differs={(index > 0 && text !== values[0]) || undefined}
                >
                  {text}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
