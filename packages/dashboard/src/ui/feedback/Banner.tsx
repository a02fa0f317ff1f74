import type { ReactNode } from 'react';

interface Props {
  /** Short, such as "Sample data". */
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** A banner above every page. */
export function Banner({ title, children, actions }: Props) {
  return (
    <section
      className="px-6 py-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-accent-soft text-sm max-sm:px-3 max-sm:py-1.5"
      aria-label={title}
    >
      <p className="flex-[1_1_280px]">
        <b className="mr-1 font-620">{title}</b> {children}
      </p>
      {actions !== undefined && (
        <div className="toolbar [&_a]:px-0 [&_a]:py-1 [&_a]:text-accent [&_a]:font-550 [&_a]:hover:underline">
          {actions}
        </div>
      )}
    </section>
  );
}
