import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { toast } from '../../ui/feedback/toast-store.ts';

/** Sends one change of a session at a time, and refetches what shows the session. */
export function useSessionChange(sessionId: string): {
  readonly busy: boolean;
  /** @param send makes the change and shows the result */
  readonly change: (send: () => Promise<void>) => Promise<void>;
} {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const change = async (send: () => Promise<void>) => {
    setBusy(true);
    try {
      await send();
      await Promise.all([
        client.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] }),
        client.invalidateQueries({ queryKey: ['sessions', 'list'] }),
        client.invalidateQueries({ queryKey: ['incidents'] }),
        client.invalidateQueries({ queryKey: ['overview'] }),
      ]);
    } catch (error) {
      toast(`Could not change the session: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setBusy(false);
    }
  };
  return { busy, change };
}
