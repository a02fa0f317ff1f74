import { useLayoutEffect } from 'react';
import { create } from 'zustand';
import { useLive } from '../live/context.ts';

/** What the page itself shows as open, while it shows that. */
const useShown = create<{ readonly open: number | undefined }>(() => ({ open: undefined }));

/** Incidents that are open: as the page shows them, so that rail and tab never contradict it, else as the live link tells. */
export function useOpenCount(): number {
  const told = useLive(({ stats }) => stats?.open ?? 0);
  return useShown(({ open }) => open) ?? told;
}

/** Makes rail and tab show the same number as the page that calls it. */
export function useShownOpenCount(open: number | undefined): void {
  useLayoutEffect(() => {
    useShown.setState({ open });
    return () => useShown.setState({ open: undefined });
  }, [open]);
}
