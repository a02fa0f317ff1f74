import { createContext, use, useSyncExternalStore } from 'react';
import { type LiveState, LiveStore } from './live-store.ts';

export interface LiveAccess {
  readonly store: LiveStore;
  /** Tries to connect now. */
  readonly retry: () => void;
}

export const LiveContext = createContext<LiveAccess>({ store: new LiveStore(), retry: () => undefined });

/** A part of what the live link tells; the component is drawn again only when that part changes. */
export function useLive<Part>(select: (state: LiveState) => Part): Part {
  const { store } = use(LiveContext);
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
