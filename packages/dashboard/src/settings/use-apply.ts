import type { ScopeSettings } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { putSettings } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { toast } from '../ui/feedback/toast-store.ts';

type Values = ScopeSettings['set'];

/** Adds values to the overrides of a scope; a toast shows the result and offers undo. */
export function useApply() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const put = async (scope: string, set: Values, version?: number) => {
    await putSettings(scope, { set, ...(version !== undefined && { version }) });
    await client.invalidateQueries({ queryKey: ['settings'] });
  };
  const undo = async ({ scope, set }: ScopeSettings) => {
    try {
      await put(scope, set);
      toast('Undone');
    } catch (error) {
      toast(`Could not undo: ${errorText(error)}`, { tone: 'hot' });
    }
  };
  /** @param before the scope as loaded @returns whether it was saved */
  const apply = async (before: ScopeSettings, values: Values): Promise<boolean> => {
    setBusy(true);
    try {
      await put(before.scope, { ...before.set, ...values }, before.version);
      const changes = plural(Object.keys(values).length, 'change');
      toast(`Applied ${changes}. Takes effect within seconds.`, {
        action: { name: 'Undo', run: () => void undo(before) },
      });
      return true;
    } catch (error) {
      void client.invalidateQueries({ queryKey: ['settings'] });
      toast(`Could not apply: ${errorText(error)}`, { tone: 'hot' });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, apply };
}
