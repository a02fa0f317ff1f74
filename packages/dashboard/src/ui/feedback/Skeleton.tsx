import styles from './Skeleton.module.css';

/** Placeholder of the final size, so that the layout does not shift. */
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
  /** Inside a card, without its own border. */
  readonly inside?: boolean;
}

/** Placeholder of a list. */
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

/** Placeholder while the code of a page loads. */
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
