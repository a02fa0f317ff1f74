import type { SessionDetail } from '@loopwatch/contract/api';
import { useRefusal } from '../../api/me.ts';
import { putSettings } from '../../api/settings.ts';
import { omit } from '../../lib/omit.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { toast } from '../../ui/feedback/toast-store.ts';
import { Icon } from '../../ui/lib/icons.tsx';
import { useSessionChange } from './use-session-change.ts';

/** Turns all detection off for a session, and on again. */
export function DetectionSwitch({
  session: { sessionId, settings, state },
}: {
  readonly session: SessionDetail;
}) {
  const refusal = useRefusal();
  const isOver = state === 'ended' || state === 'idle';
  const refused = refusal ?? (isOver ? 'This session has ended; there is nothing left to detect' : undefined);
  const { busy, change } = useSessionChange(sessionId);
  const off = settings['enabled'] === false;

  const put = (set: Record<string, unknown>, done: string, undo?: Record<string, unknown>) =>
    change(async () => {
      await putSettings(`session:${sessionId}`, { set });
      toast(
        done,
        undo === undefined ? {} : { action: { name: 'Undo', run: () => void put(undo, 'Undone') } },
      );
    });
  const others = omit(settings, 'enabled');
  return (
    <Button
      aria-pressed={off}
      tone={off ? 'accent' : undefined}
      disabled={busy}
      refused={refused}
      onClick={() =>
        void put(
          off ? others : { ...settings, enabled: false },
          off ? 'Detection turned on for this session' : 'Detection turned off for this session',
          settings,
        )
      }
    >
      <Icon name="power" size={14} />
      {off ? 'Detection is off; turn on' : 'Turn detection off'}
    </Button>
  );
}
