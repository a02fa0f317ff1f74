import { createContext, use } from 'react';
import { useStore } from 'zustand';
import { createLiveStore, type LiveState, type LiveStore } from './live-store.ts';

export interface LiveAccess {
  readonly store: LiveStore;
  /** Reconnects now. */
  readonly retry: () => void;
}

export const LiveContext = createContext<LiveAccess>({ store: createLiveStore(), retry: () => undefined });

/** A part of the live state; the component renders again only when that part changes. */
export function useLive<Part>(select: (state: LiveState) => Part): Part {
  return useStore(use(LiveContext).store, select);
}
