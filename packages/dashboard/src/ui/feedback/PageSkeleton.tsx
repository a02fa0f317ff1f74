/** Placeholder while the code of a page loads. */
export function PageSkeleton() {
  return (
    <div className="p-6 grid gap-4 animate-pulse" role="status">
      <span className="sr-only">Loading the page…</span>
      <b className="rounded-lg w-45 h-7.5 bg-raise" />
      <i className="surface h-45" />
      <i className="surface h-45" />
    </div>
  );
}
