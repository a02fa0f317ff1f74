import { formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import styles from './JudgeEvidence.module.css';
import type { ViewProps } from './view.ts';

/** What a model said of the session, quoted as the model's, and how sure it was. */
export function JudgeEvidence({ incident, evidence }: ViewProps<'semantic'>) {
  const { analysis, shown, threshold } = evidence;
  if (analysis === undefined) return null;
  const { confidence } = incident;
  return (
    <Card
      title="What the judging model said"
      note={shown && `of turns ${String(shown.from)} to ${String(shown.to)}`}
    >
      <blockquote className={styles['said']} data-detector={incident.detector}>
        {analysis}
      </blockquote>
      <div className={styles['meter']} data-detector={incident.detector}>
        <span>confidence</span>
        <div>
          <u style={{ width: `${String(confidence * 100)}%` }} />
          {threshold !== undefined && <s style={{ left: `${String(threshold * 100)}%` }} />}
        </div>
        <b>{formatShare(confidence)}</b>
        {threshold !== undefined && <small>a loop above {formatShare(threshold)}</small>}
      </div>
    </Card>
  );
}
