import type { SessionDetail, SessionStop } from '@loopwatch/contract/api';
import { useRefusal } from '../../api/me.ts';
import { stopSession } from '../../api/sessions.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { toast } from '../../ui/feedback/toast-store.ts';
import { Icon } from '../../ui/lib/icons.tsx';
import { useSessionChange } from './use-session-change.ts';

const stoppedTexts: Readonly<Record<NonNullable<SessionStop['obeyedBy']>, string>> = {
  hooks: 'Stopped: the hook denies the next tool call',
  gateway: 'Stopped: the gateway rejects its requests',
  guard: 'Stopped: the guard denies the next tool call',
};

/** Stops a session and resumes it; warns if nothing can stop its agent. */
export function StopSwitch({ session: { sessionId, settings, state } }: { readonly session: SessionDetail }) {
  const refusal = useRefusal();
  const { busy, change } = useSessionChange(sessionId);
  const stopped = settings['stopped'] === true;
  const refused =
    refusal ??
    (state === 'ended' && !stopped ? 'This session has ended; there is nothing to stop' : undefined);

  return (
    <Button
      aria-pressed={stopped}
      tone={stopped ? 'accent' : undefined}
      disabled={busy}
      refused={refused}
      onClick={() => void change(async () => showResult(await stopSession(sessionId, !stopped)))}
    >
      <Icon name="pause" size={14} />
      {stopped ? 'Stopped; resume' : 'Stop session'}
    </Button>
  );
}

function showResult({ stopped, obeyedBy }: SessionStop): void {
  if (!stopped) toast('Session resumed');
  else if (obeyedBy !== null) toast(stoppedTexts[obeyedBy]);
  else {
    const text =
      'Marked as stopped, but nothing can stop this agent: it does not use hooks, the gateway or the guard';
    toast(text, { tone: 'hot' });
  }
}
