import type { IncidentRow } from '@loopwatch/contract';
import { use, useState } from 'react';
import { LiveContext } from '../live/context.ts';
import { type Filters, writeFilters } from './url.ts';

interface Page {
  readonly items: readonly IncidentRow[];
  readonly nextCursor: string | null;
}

export interface Older {
  readonly state: 'idle' | 'loading' | 'failed' | 'done';
  readonly load: () => void;
}

/** Incidents that are older than what the live link brought, a page at a time, for the filters at hand. */
export function useOlder(filters: Filters): Older {
  const { store } = use(LiveContext);
  const query = writeFilters(filters);
  const [known, setKnown] = useState<{ query: string; cursor: string | null; state: Older['state'] }>();
  const here = known?.query === query ? known : { query, cursor: null, state: 'idle' as const };

  const load = () => {
    setKnown({ ...here, state: 'loading' });
    loadNew(query, here.cursor, new Set(store.get().rows.map(({ id }) => id))).then(
      ({ items, nextCursor }) => {
        store.add(items);
        setKnown({ query, cursor: nextCursor, state: nextCursor === null ? 'done' : 'idle' });
      },
      () => setKnown({ ...here, state: 'failed' }),
    );
  };
  return { state: here.state, load };
}

/** Reads on until a page has something new: the first ones may hold what the live link already brought. */
async function loadNew(query: string, from: string | null, known: ReadonlySet<string>): Promise<Page> {
  let cursor = from;
  for (;;) {
    const page = await loadPage(query, cursor);
    if (page.nextCursor === null || page.items.some(({ id }) => !known.has(id))) return page;
    cursor = page.nextCursor;
  }
}

async function loadPage(query: string, cursor: string | null): Promise<Page> {
  const parameters = new URLSearchParams(query);
  parameters.set('limit', '200');
  if (cursor !== null) parameters.set('cursor', cursor);
  const response = await fetch(`/api/v1/incidents?${parameters.toString()}`);
  if (!response.ok) throw new Error(`the server answered ${String(response.status)}`);
  return (await response.json()) as Page;
}
