import { type SettingsPut, scopeSettingsSchema, settingsOverviewSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

export const settingsQuery = queryOptions({
  queryKey: ['settings', 'overview'],
  queryFn: ({ signal }) => request(settingsOverviewSchema, '/settings', { signal }),
});

export function scopeQuery(scope: string) {
  return queryOptions({
    queryKey: ['settings', 'scope', scope],
    queryFn: ({ signal }) =>
      request(scopeSettingsSchema, `/settings/${encodeURIComponent(scope)}`, { signal }),
  });
}

/** Replaces what a scope sets. */
export function putSettings(scope: string, body: SettingsPut) {
  return request(scopeSettingsSchema, `/settings/${encodeURIComponent(scope)}`, { method: 'PUT', body });
}
