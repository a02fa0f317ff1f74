import type { Incident, IncidentStep } from '@loopwatch/contract';
import type { IncidentDetail } from '@loopwatch/contract/api';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Clock } from '../ui/layout/Time.tsx';
import { actionNames } from './action-names.ts';
import styles from './LifecycleCard.module.css';
import { loopStart } from './session-marks.ts';

const phases = { opened: 'Opened', escalated: 'Escalated', resolved: 'Resolved' } as const;

/** When the incident began, opened, escalated and resolved. */
export function LifecycleCard({ incident }: { readonly incident: IncidentDetail }) {
  const { verdicts, revision } = incident;
  const began = loopStart(incident).time;
  const note = revision > verdicts.length ? `first and latest of ${formatNumber(revision)}` : undefined;
  return (
    <Card title="Lifecycle" note={note}>
      <ol className={styles['steps']}>
        <li data-phase="began">
          <b>Began</b>
          <span>
            <Clock time={began} />
          </span>
        </li>
        {verdicts.map((step, index) => (
          <li key={step.id} data-phase={step.phase === 'resolved' ? incident.outcome : step.phase}>
            <b>
              {phases[step.phase]}
              <small>{stepText(step, index, incident)}</small>
            </b>
            <span>
              <Clock time={step.time} />
              <small>+{formatDuration(Math.max(0, step.time - began))}</small>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function stepText(
  { phase, action, count }: IncidentStep,
  index: number,
  { outcome, verdicts }: Incident,
): string {
  if (phase === 'resolved') return outcome === 'disabled' ? 'detector disabled' : (outcome ?? '');
  const before = verdicts[index - 1];
  // The count is unchanged if the next call was already in progress at the warning.
  const despite = before?.action === 'chance' && action === 'block';
  const at = despite && before.count === count ? 'continued after the warning' : `at ${formatNumber(count)}`;
  return `${at}${action === 'none' ? '' : `, ${actionNames[action]}`}`;
}
