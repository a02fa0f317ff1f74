import { useLayoutEffect } from 'react';
import { create } from 'zustand';
import { useLive } from '../live/context.ts';

/** Number of open incidents that the current page shows, if it shows one. */
const useShown = create<{ readonly open: number | undefined }>(() => ({ open: undefined }));

/** Number of open incidents: that of the current page, so that navigation and tab agree with it, else that of the live link. */
export function useOpenCount(): number {
  const told = useLive(({ stats }) => stats?.open ?? 0);
  return useShown(({ open }) => open) ?? told;
}

/** Makes the navigation and the tab show the number of the calling page. */
export function useShownOpenCount(open: number | undefined): void {
  useLayoutEffect(() => {
    useShown.setState({ open });
    return () => useShown.setState({ open: undefined });
  }, [open]);
}
