import type { EffectiveSetting, SettingKey } from '@loopwatch/contract/api';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { scopeQuery } from '../api/settings.ts';
import type { Recording } from './analyze.ts';
import { type ModelValues, modelOverrides } from './config.ts';

/**
 * Overrides of the models in these sessions; models without overrides are omitted.
 *
 * @returns undefined until all are loaded
 */
export function useModelSettings(
  recordings: readonly Recording[] | undefined,
  server: readonly EffectiveSetting[],
  keys: readonly SettingKey[],
): ModelValues | undefined {
  const labels = useMemo(() => modelsOf(recordings ?? []), [recordings]);
  return useQueries({
    queries: labels.map((label) => scopeQuery(`model:${label}`)),
    combine: (results) => {
      if (recordings === undefined || results.some(({ isPending }) => isPending)) return undefined;
      const own = results.map(({ data }, index): [string, ModelValues[string]] => [
        labels[index] ?? '',
        data === undefined ? {} : modelOverrides(data.effective, server, keys),
      ]);
      return Object.fromEntries(own.filter(([, set]) => Object.keys(set).length > 0));
    },
  });
}

/** Models used in the recordings, as `backend/model`. */
export function modelsOf(recordings: readonly Recording[]): string[] {
  const labels = new Set<string>();
  for (const { events } of recordings) {
    let model: string | undefined;
    let backend: string | undefined;
    for (const event of events) {
      model = event.model ?? model;
      backend = event.backend ?? backend;
      if (model !== undefined && backend !== undefined) labels.add(`${backend}/${model}`);
    }
  }
  return [...labels];
}
