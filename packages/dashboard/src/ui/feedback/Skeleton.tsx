import styles from './Skeleton.module.css';

/** Stands where something is about to be, as large as that will be, so that nothing jumps. */
export function Skeleton({ height, what }: { readonly height: number; readonly what: string }) {
  return (
    <div className={styles['box']} style={{ height }} role="status">
      <span className="unseen">Loading {what}…</span>
    </div>
  );
}

const widths = [72, 58, 80, 64, 50, 68, 76, 55];

interface ListSkeletonProps {
  readonly what: string;
  readonly rows?: number;
  /** Inside of a card, which has borders of its own. */
  readonly inside?: boolean;
}

/** Rows of a list that is about to be there. */
export function ListSkeleton({ what, rows = 8, inside = false }: ListSkeletonProps) {
  return (
    <div className={styles['list']} data-inside={inside || undefined} role="status">
      <span className="unseen">Loading {what}…</span>
      {widths.slice(0, rows).map((width) => (
        <div key={width}>
          <i />
          <b style={{ width: `${String(width)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** While the page's own code is on its way. */
export function PageSkeleton() {
  return (
    <div className={styles['page']} role="status">
      <span className="unseen">Loading the page…</span>
      <b />
      <i />
      <i />
    </div>
  );
}
