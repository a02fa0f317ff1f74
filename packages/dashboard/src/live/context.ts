import { createContext, use, useSyncExternalStore } from 'react';
import { type LiveState, LiveStore } from './live-store.ts';

export interface LiveAccess {
  readonly store: LiveStore;
  /** Tries to connect now. */
  readonly retry: () => void;
}

export const LiveContext = createContext<LiveAccess>({ store: new LiveStore(), retry: () => undefined });

export function useLive(): LiveState {
  const { store } = use(LiveContext);
  return useSyncExternalStore(store.subscribe, store.get);
}
