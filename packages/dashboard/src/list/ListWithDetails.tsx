import type { ReactNode } from 'react';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { useMedia } from '../ui/lib/use-media.ts';

interface Props {
  /** Key of the row open beside the list. */
  readonly peek: string | undefined;
  readonly label: string;
  /** @param alone whether the details replace the list */
  readonly drawer: (key: string, alone: boolean) => ReactNode;
  readonly children: ReactNode;
}

/** A list with the details of one row beside it, or in its place on narrow screens. */
export function ListWithDetails({ peek, label, drawer, children }: Props) {
  const alone = useMedia('(max-width: 1119px)');
  if (alone && peek !== undefined) return drawer(peek, true);
  return (
    <div
      className="lg:data-open:grid lg:data-open:grid-cols-[minmax(0,1fr)_min(54%,780px)]"
      data-open={peek !== undefined || undefined}
    >
      <div className="min-w-0 lg:in-data-open:overflow-x-clip">{children}</div>
      {peek !== undefined && (
        <aside
          className="bg-bg min-w-0 lg:in-data-open:sticky lg:in-data-open:top-0 lg:in-data-open:h-[calc(100dvh_-_52px)] lg:in-data-open:overflow-auto lg:in-data-open:border-l"
          aria-label={label}
          key={peek}
        >
          <ErrorBoundary>{drawer(peek, false)}</ErrorBoundary>
        </aside>
      )}
    </div>
  );
}
