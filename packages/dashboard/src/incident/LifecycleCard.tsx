import type { Incident, IncidentStep } from '@loopwatch/contract';
import type { IncidentDetail } from '@loopwatch/contract/api';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { Card } from '../ui/layout/Card.tsx';
import { Clock } from '../ui/layout/Time.tsx';
import { actionNames } from './action-names.ts';
import { loopStart } from './session-marks.ts';

const phases = { opened: 'Opened', escalated: 'Escalated', resolved: 'Resolved' } as const;

/** When the incident began, opened, escalated and resolved. */
export function LifecycleCard({ incident }: { readonly incident: IncidentDetail }) {
  const { verdicts, revision } = incident;
  const began = loopStart(incident).time;
  const note = revision > verdicts.length ? `first and latest of ${formatNumber(revision)}` : undefined;
  return (
    <Card title="Lifecycle" note={note}>
      <ol className="[&_li]:last:pb-0 [&_li]:not-last:after:absolute [&_li]:not-last:after:left-1.5 [&_li]:not-last:after:top-4.25 [&_li]:not-last:after:-bottom-0.75 [&_li]:not-last:after:w-px [&_li]:not-last:after:bg-line2">
        <li
          className="pl-5 pb-2.5 relative flex justify-between gap-3 before:border-[1.7px] before:border-ink3 before:size-2 before:absolute before:left-0.5 before:top-1.5 before:rounded-full before:bg-panel data-[phase=opened]:before:border-hot data-[phase=opened]:before:bg-hot data-[phase=escalated]:before:border-hot data-[phase=escalated]:before:bg-hot data-[phase=recovered]:before:border-ok data-[phase=recovered]:before:bg-ok"
          data-phase="began"
        >
          <b className="font-550">Began</b>
          <span className="text-sm text-ink2 whitespace-nowrap text-right">
            <Clock time={began} />
          </span>
        </li>
        {verdicts.map((step, index) => (
          <li
            className="pl-5 pb-2.5 relative flex justify-between gap-3 before:border-[1.7px] before:border-ink3 before:size-2 before:absolute before:left-0.5 before:top-1.5 before:rounded-full before:bg-panel data-[phase=opened]:before:border-hot data-[phase=opened]:before:bg-hot data-[phase=escalated]:before:border-hot data-[phase=escalated]:before:bg-hot data-[phase=recovered]:before:border-ok data-[phase=recovered]:before:bg-ok"
            key={step.id}
            data-phase={step.phase === 'resolved' ? incident.outcome : step.phase}
          >
            <b className="font-550">
              {phases[step.phase]}
              <small className="ml-1.5 text-sm font-450 text-ink3">{stepText(step, index, incident)}</small>
            </b>
            <span className="text-sm text-ink2 whitespace-nowrap text-right">
              <Clock time={step.time} />
              <small className="ml-1.5 text-sm font-450 text-ink3">
                +{formatDuration(Math.max(0, step.time - began))}
              </small>
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
  return `${at}${action === 'none' ? '' : `: ${actionNames[action]}`}`;
}
