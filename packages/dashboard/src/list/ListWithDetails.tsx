import type { ReactNode } from 'react';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { useMedia } from '../ui/lib/use-media.ts';
import styles from './ListWithDetails.module.css';

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
    <div className={styles['split']} data-open={peek !== undefined || undefined}>
      <div className={styles['main']}>{children}</div>
      {peek !== undefined && (
        <aside className={styles['peek']} aria-label={label} key={peek}>
          <ErrorBoundary>{drawer(peek, false)}</ErrorBoundary>
        </aside>
      )}
    </div>
  );
}
