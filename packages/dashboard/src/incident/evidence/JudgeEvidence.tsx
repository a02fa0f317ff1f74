import { formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { ThresholdBar } from '../ThresholdBar.tsx';
import styles from './JudgeEvidence.module.css';
import type { ViewProps } from './view.ts';

/** The judge model's analysis, quoted, and its confidence. */
export function JudgeEvidence({ incident, evidence }: ViewProps<'semantic'>) {
  const { analysis, shown, threshold } = evidence;
  if (analysis === undefined) return null;
  const { confidence } = incident;
  return (
    <Card title="Judge model’s analysis" note={shown && `turns ${String(shown.from)} to ${String(shown.to)}`}>
      <blockquote className={styles['quote']} data-detector={incident.detector}>
        {analysis}
      </blockquote>
      <div className={styles['meter']}>
        <span>confidence</span>
        <div>
          <ThresholdBar detector={incident.detector} value={confidence} threshold={threshold} />
        </div>
        <b>{formatShare(confidence)}</b>
        {threshold !== undefined && <small>threshold {formatShare(threshold)}</small>}
      </div>
    </Card>
  );
}
