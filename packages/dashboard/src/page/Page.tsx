import { type ReactNode, useLayoutEffect } from 'react';
import { BehindNote } from './BehindNote.tsx';
import { showInTab } from './favicon.ts';
import { useOpenCount } from './open-count.ts';

interface Props {
  readonly title: string;
  /** Title of the browser tab, if it differs. */
  readonly tab?: string;
  /** Beside the heading. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its heading and actions. */
export function Page({ title, tab = title, note, actions, children }: Props) {
  const open = useOpenCount();
  useLayoutEffect(() => showInTab(tab, open), [tab, open]);
  return (
    <div className="@container/page mx-auto grid max-w-420 grid-cols-1 content-start gap-4 p-6 max-sm:gap-3 max-sm:px-3 max-sm:pt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 min-h-8">
        <h1 dir="auto" className="min-w-0 wrap-anywhere text-xl font-640 tracking-[-0.015em]">
          {title}
        </h1>
        {note !== undefined && <div className="text-ink3">{note}</div>}
        {actions !== undefined && <div className="toolbar ml-auto max-sm:ml-0 print:hidden">{actions}</div>}
      </div>
      <BehindNote />
      {children}
    </div>
  );
}
