import type { Incident } from '@loopwatch/contract';
import { formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/layout/Card.tsx';
import styles from './JudgeEvidence.module.css';
import type { Judgement } from './read.ts';

/** What a model said of the session, quoted as the model's, and how sure it was. */
export function JudgeEvidence({
  incident,
  judgement,
}: {
  readonly incident: Incident;
  readonly judgement: Judgement;
}) {
  const { analysis, from, to, threshold } = judgement;
  const { confidence } = incident;
  return (
    <Card
      title="What the judging model said"
      note={from !== undefined && to !== undefined ? `of turns ${String(from)} to ${String(to)}` : undefined}
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
