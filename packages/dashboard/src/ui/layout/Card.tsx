import { type ReactNode, useId } from 'react';
import { ErrorBoundary } from '../feedback/ErrorBoundary.tsx';

interface Props {
  readonly title: string;
  /** Of the element, for links to it. */
  readonly anchor?: string;
  /** Short explanation. */
  readonly note?: ReactNode;
  /** Without padding. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with its own error boundary. */
export function Card({ title, anchor, note, flush = false, children }: Props) {
  const id = useId();
  return (
    <section id={anchor} className="surface min-w-0 scroll-mt-4" aria-labelledby={id}>
      <div className="px-4 pt-3 flex flex-wrap items-baseline gap-x-2 gap-y-0.5 [&_h2]:font-600 [&_p]:text-sm [&_p]:text-ink3">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p>{note}</p>}
      </div>
      <ErrorBoundary>{flush ? children : <div className="px-4 pt-3 pb-4">{children}</div>}</ErrorBoundary>
    </section>
  );
}
