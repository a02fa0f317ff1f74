import type { SessionStop } from '@loopwatch/contract/api';
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

interface Props {
  readonly sessionId: string;
  readonly stopped: boolean;
  /** Whether the session has ended. */
  readonly over: boolean;
  /** In a row of a list. */
  readonly short?: boolean;
}

/** Stops a session and resumes it; warns if nothing can stop its agent. */
export function StopSwitch({ sessionId, stopped, over, short = false }: Props) {
  const refusal = useRefusal();
  const { busy, change } = useSessionChange(sessionId);
  const refused =
    refusal ?? (over && !stopped ? 'This session has ended; there is nothing to stop' : undefined);
  const toggle = (stop: boolean) =>
    change(async () => {
      const result = await stopSession(sessionId, stop);
      if (result.stopped && !stop)
        toast('Still stopped, because the session that started it, or every session, is stopped', {
          tone: 'hot',
        });
      else showResult(result, () => void toggle(!stop));
    });

  return (
    <Button
      aria-pressed={stopped}
      tone={stopped ? 'accent' : undefined}
      disabled={busy}
      refused={refused}
      onClick={() => void toggle(!stopped)}
    >
      <Icon name="stop" size={14} />
      <span className={short ? '@max-[520px]/page:sr-only' : undefined}>
        {stopped ? (short ? 'Resume' : 'Stopped; resume') : short ? 'Stop' : 'Stop session'}
      </span>
    </Button>
  );
}

function showResult({ stopped, obeyedBy }: SessionStop, undo: () => void): void {
  const action = { name: 'Undo', run: undo };
  if (!stopped) toast('Session resumed', { action });
  else if (obeyedBy !== null) toast(stoppedTexts[obeyedBy], { action });
  else {
    const text =
      'Marked as stopped, but nothing can stop this agent: it does not use hooks, the gateway or the guard';
    toast(text, { tone: 'hot', action });
  }
}
