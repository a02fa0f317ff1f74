/** Placeholder of the final size, so that the layout does not shift. */
export function Skeleton({ height, what }: { readonly height: number; readonly what: string }) {
  return (
    <div
      className="surface overflow-hidden animate-pulse before:m-4 before:block before:w-[min(180px,40%)] before:h-3 before:rounded-[6px] before:bg-raise"
      style={{ height }}
      role="status"
    >
      <span className="sr-only">Loading {what}…</span>
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
    <div
      className="surface overflow-hidden data-inside:mt-2 data-inside:border-0 data-inside:border-t data-inside:rounded-none data-inside:bg-transparent [&_div]:last:border-0"
      data-inside={inside || undefined}
      role="status"
    >
      <span className="sr-only">Loading {what}…</span>
      {widths.slice(0, rows).map((width) => (
        <div className="px-4 flex items-center gap-4 h-14 border-b animate-pulse" key={width}>
          <i className="border-[3px] border-raise size-8 rounded-full" />
          <b className="h-3 rounded-[6px] bg-raise" style={{ width: `${String(width)}%` }} />
        </div>
      ))}
    </div>
  );
}
