import { formatNumber, formatShare } from '../lib/format.ts';
import styles from './ScoreTable.module.css';
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
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">
            <span className="unseen">Metric</span>
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
