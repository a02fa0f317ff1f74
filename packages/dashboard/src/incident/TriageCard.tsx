import type { IncidentDetail, Mute, TriageState } from '@loopwatch/contract/api';
import { type SubmitEvent, useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { MuteText } from '../incidents/mutes/MuteText.tsx';
import { triageNames, useTriage } from '../incidents/triage.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Ago, Clock } from '../ui/layout/Time.tsx';
import styles from './TriageCard.module.css';

/** What people said of it: the note, and who changed what and when. */
export function TriageCard({ incident }: { readonly incident: IncidentDetail }) {
  const { triage, triageHistory, mute } = incident;
  const refusal = useRefusal();
  return (
    <Card
      title="Triage"
      note={triage.by === null && mute === undefined ? 'not triaged yet' : triageNames[triage.status]}
    >
      {mute !== undefined && <MutedBy mute={mute} />}
      {triage.status === 'muted' && mute === undefined && (
        <p className={styles['until']}>
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
        <Note key={triage.note ?? ''} incident={incident} />
      ) : (
        triage.note !== null && <blockquote className={styles['said']}>{triage.note}</blockquote>
      )}
      {triageHistory.length > 0 && (
        <ol className={styles['history']}>
          {triageHistory.toReversed().map((change) => (
            <li key={`${String(change.at)} ${change.to.status} ${change.to.note ?? ''}`}>
              <span>{changeText(change.from, change.to)}</span>
              <small>
                {change.by}, <Ago time={change.at} />
              </small>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** The mute of its cause, and how long it holds. */
function MutedBy({ mute }: { readonly mute: Mute }) {
  return (
    <p className={styles['until']}>
      Muted by cause: <MuteText mute={mute} />
    </p>
  );
}

function Note({ incident }: { readonly incident: IncidentDetail }) {
  const { note } = incident.triage;
  const triage = useTriage();
  const [changed, setChanged] = useState(false);
  const save = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('note');
    const text = typeof given === 'string' ? given.trim() : '';
    triage.change([incident], { note: text === '' ? null : text }, text === '' ? 'Note removed' : 'Noted');
  };
  return (
    <form className={styles['form']} onSubmit={save}>
      <textarea
        name="note"
        rows={2}
        maxLength={4000}
        aria-label="Note"
        placeholder="Add a note"
        defaultValue={note ?? ''}
        onChange={(event) => setChanged(event.target.value.trim() !== (note ?? ''))}
      />
      {changed && (
        <Button type="submit" small>
          Save the note
        </Button>
      )}
    </form>
  );
}

function changeText(from: TriageState, to: TriageState): string {
  const parts: string[] = [];
  if (from.status !== to.status) parts.push(`${triageNames[from.status]} → ${triageNames[to.status]}`);
  if (from.note !== to.note)
    parts.push(to.note === null ? 'note removed' : `noted “${to.note.slice(0, 80)}”`);
  if (parts.length === 0) parts.push('muted for another time');
  return parts.join(', ');
}
