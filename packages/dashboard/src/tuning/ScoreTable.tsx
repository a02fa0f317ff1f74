import { formatNumber, formatShare } from '../lib/format.ts';
import styles from './ScoreTable.module.css';
import type { Score } from './score.ts';

interface Props {
  readonly scores: readonly { readonly name: string; readonly score: Score }[];
}

/** Variants side by side: what they find, and how right that is. */
export function ScoreTable({ scores }: Props) {
  const rows: [string, string, (score: Score) => string][] = [
    ['Incidents', 'that would open', ({ incidents }) => formatNumber(incidents)],
    ['Sessions flagged', 'with at least one', ({ flagged }) => formatNumber(flagged)],
    ['Precision', 'of the flagged and judged, loops', ({ precision }) => formatShare(precision)],
    ['Recall', 'of the loops, flagged', ({ recall }) => formatShare(recall)],
    [
      'False positives',
      'flagged, and not a loop',
      ({ falsePositives, trueNegatives }) =>
        falsePositives + trueNegatives === 0 ? '–' : formatNumber(falsePositives),
    ],
    [
      'Missed',
      'loops that stay silent',
      ({ truePositives, falseNegatives }) =>
        truePositives + falseNegatives === 0 ? '–' : formatNumber(falseNegatives),
    ],
  ];
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">
            <span className="unseen">Figure</span>
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
                <td key={scores[index]?.name} data-differs={(index > 0 && text !== values[0]) || undefined}>
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
