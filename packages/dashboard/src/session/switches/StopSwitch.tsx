import type { SessionDetail, SessionStop } from '@loopwatch/contract/api';
import { useRefusal } from '../../api/me.ts';
import { stopSession } from '../../api/sessions.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { toast } from '../../ui/feedback/toast-store.ts';
import { Icon } from '../../ui/lib/icons.tsx';
import { useSessionChange } from './use-session-change.ts';

const told: Readonly<Record<NonNullable<SessionStop['obeyedBy']>, string>> = {
  hooks: 'Stopped: the hook denies its next tool call',
  gateway: 'Stopped: the gateway forwards none of its requests',
  guard: 'Stopped: the guard in its process denies its next tool call',
};

/** Stops a session, and lets it go on again; says so where nothing can hold its agent up. */
export function StopSwitch({ session: { sessionId, settings, state } }: { readonly session: SessionDetail }) {
  const refusal = useRefusal();
  const { busy, change } = useSessionChange(sessionId);
  const stopped = settings['stopped'] === true;
  const refused =
    refusal ??
    (state === 'ended' && !stopped ? 'This session has ended: there is nothing to stop' : undefined);

  return (
    <Button
      aria-pressed={stopped}
      tone={stopped ? 'accent' : undefined}
      disabled={busy}
      refused={refused}
      onClick={() => void change(async () => tell(await stopSession(sessionId, !stopped)))}
    >
      <Icon name="pause" size={14} />
      {stopped ? 'Stopped; resume' : 'Stop session'}
    </Button>
  );
}

function tell({ stopped, obeyedBy }: SessionStop): void {
  if (!stopped) toast('The session may go on');
  else if (obeyedBy !== null) toast(told[obeyedBy]);
  else {
    const text =
      'Marked as stopped, but nothing can hold this agent up: it is connected by no hooks, gateway or guard';
    toast(text, { tone: 'hot' });
  }
}
