import type { Erasure } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { eraseSession } from '../api/sessions.ts';
import { errorText } from '../lib/error-text.ts';
import { joinWords, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Dialog } from '../ui/controls/Dialog.tsx';

interface Props {
  readonly sessionId: string;
  readonly onClose: () => void;
}

/** Erases a session once it is confirmed, then shows what was erased, and what remains elsewhere. */
export default function EraseDialog({ sessionId, onClose }: Props) {
  const [erased, setErased] = useState<Erasure>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const erase = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      setErased(await eraseSession(sessionId));
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  const close = () => {
    onClose();
    if (erased !== undefined) void navigate({ to: '/sessions' }).then(() => client.invalidateQueries());
  };
  return (
    <Dialog title={erased === undefined ? 'Erase this session?' : 'Session erased'} onClose={close}>
      {erased === undefined ? (
        <>
          <p>
            Everything that Loopwatch stores about this session and its sub-agents is deleted for good: texts,
            incidents, triage, notes and settings. Stop the agent first: if it goes on, it begins a new
            session with the same id.
          </p>
          {problem !== undefined && (
            <p className="mt-3 text-hot" role="alert">
              {problem}
            </p>
          )}
          <div className="mt-4 flex gap-2">
            <Button tone="hot" disabled={busy} onClick={() => void erase()}>
              {busy ? 'Erasing…' : 'Erase for good'}
            </Button>
            <Button quiet onClick={close}>
              Cancel
            </Button>
          </div>
        </>
      ) : (
        <>
          <p role="status">Erased: {countsOf(erased)}.</p>
          <p className="mt-3 font-500">What Loopwatch cannot erase</p>
          <ul className="mt-1 grid gap-1 text-sm text-ink2 list-disc pl-4">
            {erased.remains.map(({ where, until }) => (
              <li key={where}>
                {where}, until {until}
              </li>
            ))}
          </ul>
          <div className="mt-4">
            <Button tone="accent" onClick={close}>
              Back to sessions
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function countsOf({ sessions, incidents, messages, records }: Erasure): string {
  return joinWords([
    plural(sessions, 'session'),
    plural(incidents, 'incident'),
    ...(messages === 0 ? [] : [plural(messages, 'message')]),
    ...(records === null ? [] : [plural(records, 'record')]),
  ]);
}
