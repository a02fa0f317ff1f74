import {
  type IncidentItem,
  type TriagePatch,
  type TriageState,
  type TriageStatus,
  undoPatch,
} from '@loopwatch/contract/api';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import { patchIncidents } from '../api/incidents.ts';
import { useRefusal } from '../api/me.ts';
import { errorText } from '../lib/error-text.ts';
import { joinWords, plural } from '../lib/format.ts';
import { LiveContext } from '../live/context.ts';
import type { LiveStore } from '../live/live-store.ts';
import { toast } from '../ui/feedback/toast-store.ts';

/** Triage decisions and their undo. */

export const triageNames: Record<TriageStatus, string> = {
  new: 'new',
  acknowledged: 'acknowledged',
  muted: 'muted',
  false_positive: 'false positive',
};

export const muteTimes = [
  { name: 'for an hour', ms: 3_600_000 },
  { name: 'for 8 hours', ms: 8 * 3_600_000 },
  { name: 'for a day', ms: 86_400_000 },
  { name: 'for a week', ms: 7 * 86_400_000 },
  { name: 'for good', ms: null },
] as const;

export interface Triager {
  /** Changes all incidents, and shows a toast with Undo. */
  readonly change: (items: readonly IncidentItem[], patch: TriagePatch, done: string) => void;
  readonly undo: () => void;
}

/** Undoes the last change; for the keyboard shortcut. */
let lastUndo: (() => void) | undefined;

export function setUndo(undo: (() => void) | undefined): void {
  lastUndo = undo;
}

export function useTriage(): Triager {
  const client = useQueryClient();
  const { store } = use(LiveContext);
  const refusal = useRefusal();
  return {
    change: (items, patch, done) =>
      refusal === undefined ? void change(client, store, items, patch, done) : toast(refusal),
    undo: () => lastUndo?.(),
  };
}

async function change(
  client: QueryClient,
  store: LiveStore,
  items: readonly IncidentItem[],
  patch: TriagePatch,
  done: string,
): Promise<void> {
  if (items.length === 0) return;
  // An incident muted by cause has no triage of its own.
  const before = items.map(({ id, triage, mute }) => ({
    id,
    triage: mute === undefined ? triage : { ...triage, status: 'new' as const, mutedUntil: null },
  }));
  try {
    const { items: now, missing } = await patchIncidents(
      items.map(({ id }) => id),
      patch,
    );
    showChanged(client, store, now);
    const after = new Map(now.map(({ id, triage }) => [id, triage]));
    const undo = () => {
      lastUndo = undefined;
      void undoChange(client, store, before, after, patch);
    };
    lastUndo = undo;
    const what = items.length === 1 ? '' : `${plural(now.length, 'incident')}: `;
    const gone =
      missing.length === 0
        ? ''
        : `; ${plural(missing.length, 'incident no longer exists', 'incidents no longer exist')}`;
    toast(`${what}${done}${gone}`, { action: { name: 'Undo', run: undo } });
  } catch (error) {
    toast(`Nothing was changed: ${errorText(error)}`, { tone: 'hot' });
  }
}

/**
 * Restores the previous triage, with one request for all incidents that had the same. What another user has decided since
 * stays.
 *
 * @param after what the change made of each incident
 */
async function undoChange(
  client: QueryClient,
  store: LiveStore,
  before: readonly { readonly id: string; readonly triage: TriageState }[],
  after: ReadonlyMap<string, TriageState>,
  undone: TriagePatch,
): Promise<void> {
  const decided = (triage: TriageState | undefined) => triage && JSON.stringify(undoPatch(triage, undone));
  const { incidents } = store.getState();
  const alike = new Map<string, { patch: TriagePatch; ids: string[] }>();
  const others = new Set<string>();
  for (const { id, triage } of before) {
    const latest = incidents.get(id)?.triage;
    if (latest !== undefined && decided(latest) !== decided(after.get(id))) {
      others.add(latest.by ?? 'another user');
      continue;
    }
    const patch = undoPatch(triage, undone);
    const same = alike.get(JSON.stringify(patch));
    if (same === undefined) alike.set(JSON.stringify(patch), { patch, ids: [id] });
    else same.ids.push(id);
  }
  try {
    for (const { patch, ids } of alike.values()) {
      const { items: now } = await patchIncidents(ids, patch);
      showChanged(client, store, now);
    }
    const by = joinWords([...others]);
    if (others.size === 0) toast('Undone');
    else
      toast(
        alike.size === 0
          ? `Not undone: ${by} has changed it since`
          : `Undone, except what ${by} has changed since`,
      );
  } catch (error) {
    toast(`Could not undo: ${errorText(error)}`, { tone: 'hot' });
  }
}

/** Updates changed incidents in all caches without reloading lists. */
export function showChanged(client: QueryClient, store: LiveStore, items: readonly IncidentItem[]): void {
  store.applyOwnChange(items);
  const byId = new Map(items.map((item) => [item.id, item]));
  client.setQueriesData<InfiniteData<{ items: IncidentItem[] }>>(
    { queryKey: ['incidents', 'list'] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map((item) => byId.get(item.id) ?? item),
        })),
      },
  );
  for (const { id } of items) void client.invalidateQueries({ queryKey: ['incidents', 'one', id] });
  void client.invalidateQueries({ queryKey: ['incidents', 'groups'] });
  void client.invalidateQueries({ queryKey: ['stats'] });
  void client.invalidateQueries({ queryKey: ['sessions', 'one'] });
}
