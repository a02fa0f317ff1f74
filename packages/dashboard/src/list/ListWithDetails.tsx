import type { ReactNode } from 'react';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { useMedia } from '../ui/lib/use-media.ts';
import styles from './ListWithDetails.module.css';

interface Props {
  /** The row that is shown beside the list. */
  readonly peek: string | undefined;
  readonly label: string;
  /** @param alone whether it is drawn in place of the list */
  readonly drawer: (key: string, alone: boolean) => ReactNode;
  readonly children: ReactNode;
}

/** A list, and beside it one of its rows; without room for both, the row takes the place of the list. */
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
