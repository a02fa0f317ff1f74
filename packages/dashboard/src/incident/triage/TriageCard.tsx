import type { IncidentDetail } from '@loopwatch/contract/api';
import { useRefusal } from '../../api/me.ts';
import { MuteText } from '../../incidents/mutes/MuteText.tsx';
import { triageNames } from '../../incidents/triage.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { Clock } from '../../ui/layout/Time.tsx';
import { Activity } from './Activity.tsx';
import { Assignee } from './Assignee.tsx';

/** Triage state, assignee, comments and history. */
export function TriageCard({ incident }: { readonly incident: IncidentDetail }) {
  const { triage, mute } = incident;
  const refusal = useRefusal();
  return (
    <Card
      title="Triage"
      note={triage.by === null && mute === undefined ? 'not triaged yet' : triageNames[triage.status]}
    >
      {mute !== undefined && (
        <p className="mb-2 text-sm text-ink2">
          Muted by cause: <MuteText mute={mute} />
        </p>
      )}
      {triage.status === 'muted' && mute === undefined && (
        <p className="mb-2 text-sm text-ink2">
          {triage.mutedUntil === null ? (
            'Muted for good.'
          ) : (
            <>
              Muted until <Clock time={triage.mutedUntil} />.
            </>
          )}
        </p>
      )}
      {refusal === undefined ? (
        <Assignee incident={incident} />
      ) : (
        triage.assignee !== null && (
          <p className="mb-2 text-sm text-ink2">Assigned to {visibleText(triage.assignee)}.</p>
        )
      )}
      {triage.note !== null && (
        <blockquote className="mb-2 text-sm text-ink2">{visibleText(triage.note)}</blockquote>
      )}
      <Activity incident={incident} />
    </Card>
  );
}
