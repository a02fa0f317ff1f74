import { jsonFrom } from '@loopwatch/contract';
import type { ScopeSettings, SettingKey } from '@loopwatch/contract/api';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { putSettings } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { omit } from '../lib/omit.ts';
import { toast } from '../ui/feedback/toast-store.ts';
import { checkSetting } from './check-setting.ts';

/** Changes that are not saved yet. */
export interface Draft {
  /** By path: the text to set, or null to reset. */
  readonly changes: ReadonlyMap<string, string | null>;
  /** By path: what is wrong with a change. */
  readonly errors: ReadonlyMap<string, string>;
  /** Why the last attempt to save failed. */
  readonly problem: string | undefined;
  readonly isSaving: boolean;
  /** Whether someone else has saved since the draft began. */
  readonly isOutdated: boolean;
  /** @param text undefined: no change */
  readonly change: (path: string, text: string | null | undefined) => void;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
}

/**
 * Changes stay a draft until saved, also while other users save; then all of them apply at once.
 *
 * @param usable the settings that the scope can set
 * @param prefill values to start with, by path
 */
export function useDraft(
  usable: readonly SettingKey[],
  settings: ScopeSettings,
  prefill: ReadonlyMap<string, string>,
): Draft {
  const client = useQueryClient();
  /** By path: the text to set, or null to reset. */
  const [draft, setDraft] = useState<ReadonlyMap<string, string | null>>(() =>
    initialDraft(usable, settings, prefill),
  );
  /** The version that the draft is based on. */
  const [baseVersion, setBaseVersion] = useState(settings.version);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const checked = [...draft].map(([path, text]) => {
    const key = usable.find((one) => one.path === path);
    return [path, text === null || key === undefined ? undefined : checkSetting(key, text)] as const;
  });
  const errors = new Map(
    checked.flatMap(([path, found]) =>
      found !== undefined && 'error' in found ? [[path, found.error] as const] : [],
    ),
  );
  const change = (path: string, text: string | null | undefined) => {
    if (draft.size === 0) setBaseVersion(settings.version);
    const next = new Map(draft);
    if (text === undefined) next.delete(path);
    else next.set(path, text);
    setDraft(next);
    setProblem(undefined);
  };
  const save = async () => {
    // Invalid stored settings would be rejected again, so drop them.
    let set: Record<string, unknown> = settings.set;
    for (const { path } of settings.invalid) set = omit(set, path);
    for (const [path, found] of checked) {
      if (found === undefined) set = omit(set, path);
      else if ('value' in found) set = { ...set, [path]: found.value };
    }
    setBusy(true);
    try {
      await putSettings(settings.scope, { set, version: settings.version });
      await client.invalidateQueries({ queryKey: ['settings'] });
      setDraft(new Map());
      void client.invalidateQueries({ queryKey: ['sessions', 'one'] });
      toast(`Saved ${plural(draft.size + settings.invalid.length, 'change')}. Takes effect within seconds.`, {
        action: {
          name: 'Undo',
          run: () =>
            void putSettings(settings.scope, { set: settings.set })
              .then(() => client.invalidateQueries({ queryKey: ['settings'] }))
              .then(() => toast('Undone'))
              .catch((error: unknown) => toast(`Could not undo: ${errorText(error)}`, { tone: 'hot' })),
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        void client.invalidateQueries({ queryKey: ['settings'] });
      }
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };

  return {
    changes: draft,
    errors,
    problem,
    isSaving: busy,
    isOutdated: settings.version !== baseVersion,
    change,
    discard: () => setDraft(new Map()),
    save,
  };
}

/** Values from the URL are merged into maps instead of replacing them. */
function initialDraft(
  keys: readonly SettingKey[],
  settings: ScopeSettings,
  prefill: ReadonlyMap<string, string>,
): Map<string, string | null> {
  return new Map(
    [...prefill].map(([path, text]) => {
      const added: unknown = jsonFrom(text);
      const current = settings.effective.find((one) => one.path === path)?.value;
      const isMap = keys.find((key) => key.path === path)?.type === 'map';
      const merged = isMap && typeof added === 'object' && typeof current === 'object';
      return [path, merged ? JSON.stringify({ ...current, ...added }) : text];
    }),
  );
}
