import type { SessionDetail } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../api/me.ts';
import { putSettings } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { omit } from '../lib/omit.ts';
import { Button } from '../ui/controls/Button.tsx';
import { toast } from '../ui/feedback/toast-store.ts';
import { Icon } from '../ui/lib/icons.tsx';

/** Switches all detection off for a session, and on again. */
export function OffSwitch({ session: { sessionId, settings, state } }: { readonly session: SessionDetail }) {
  const refusal = useRefusal();
  const isOver = state === 'ended' || state === 'idle';
  const refused =
    refusal ?? (isOver ? 'This session is over: there is nothing left to detect in it' : undefined);
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const off = settings['enabled'] === false;

  const put = async (set: Record<string, unknown>, done: string, undo?: Record<string, unknown>) => {
    setBusy(true);
    try {
      await putSettings(`session:${sessionId}`, { set });
      await client.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
      toast(
        done,
        undo === undefined ? {} : { action: { name: 'Undo', run: () => void put(undo, 'As it was') } },
      );
    } catch (error) {
      toast(`Nothing was changed: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setBusy(false);
    }
  };
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
          off ? 'Detection is on again for this session' : 'Detection is off for this session',
          settings,
        )
      }
    >
      <Icon name="power" size={14} />
      {off ? 'Detection is off; switch on' : 'Switch detection off'}
    </Button>
  );
}
