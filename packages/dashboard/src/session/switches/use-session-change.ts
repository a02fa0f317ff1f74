import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { toast } from '../../ui/feedback/toast-store.ts';

/** Changes a session by its server, one change at a time; the page has the session as it is then. */
export function useSessionChange(sessionId: string): {
  readonly busy: boolean;
  /** @param send makes the change, and says that it was made */
  readonly change: (send: () => Promise<void>) => Promise<void>;
} {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const change = async (send: () => Promise<void>) => {
    setBusy(true);
    try {
      await send();
      await client.invalidateQueries({ queryKey: ['sessions', 'one', sessionId] });
    } catch (error) {
      toast(`Nothing was changed: ${errorText(error)}`, { tone: 'hot' });
    } finally {
      setBusy(false);
    }
  };
  return { busy, change };
}
