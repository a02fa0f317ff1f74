import type { ReactNode } from 'react';

/** The panel of a list without rows. */
export function EmptyState({ children }: { readonly children: ReactNode }) {
  return <div className="surface">{children}</div>;
}
