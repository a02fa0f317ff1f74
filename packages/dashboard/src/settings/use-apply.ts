import type { ScopeSettings } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { putSettings } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { toast } from '../ui/feedback/toast-store.ts';

type Values = ScopeSettings['set'];

/** Sets values in a scope over what it sets already; a toast says what came of it and undoes it. */
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
  /** @param before the scope as it was read @returns whether it holds */
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
      toast(`Nothing was changed: ${errorText(error)}`, { tone: 'hot' });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, apply };
}
