import { Card } from '../../ui/layout/Card.tsx';
import styles from './LimitEvidence.module.css';
import type { ViewProps } from './view.ts';

const MAX_DRAWN = 40;

/** A limit drawn as a row of requests with the excess one marked, and the last calls before it. */
export function LimitEvidence({ incident, evidence }: ViewProps<'tool-limit' | 'turn-limit'>) {
  const isOfTurns = 'max_allowed' in evidence;
  const allowed = isOfTurns ? evidence.max_allowed : incident.threshold;
  const drawn = Math.min(MAX_DRAWN, allowed + 1);
  const unit = isOfTurns ? 'model requests' : 'turns with tool calls';
  return (
    <Card title="Limit" note={`${String(allowed)} ${unit} allowed per prompt`}>
      <div
        className={styles['row']}
        data-detector={incident.detector}
        role="img"
        aria-label={`${String(incident.count)} of ${String(allowed)} ${unit}`}
      >
        {Array.from({ length: drawn }, (_, index) => (
          <i key={index} data-over={index === drawn - 1 || undefined} />
        ))}
      </div>
      {!isOfTurns && <p className={styles['message']}>{evidence.limit_message}</p>}
      {isOfTurns && evidence.last_tool_calls.length > 0 && (
        <>
          <h3 className={styles['head']}>Last calls before the limit</h3>
          <ul className={styles['calls']}>
            {evidence.last_tool_calls.map((call, index) => (
              <li key={index}>{call}</li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
