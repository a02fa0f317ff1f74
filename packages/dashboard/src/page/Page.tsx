import { type ReactNode, useLayoutEffect } from 'react';
import { showInTab } from './favicon.ts';
import { useOpenCount } from './open-count.ts';
import styles from './Page.module.css';

interface Props {
  readonly title: string;
  /** In the tab, where the heading says less. */
  readonly tab?: string;
  /** Beside the heading. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** Lines up to the edges of the window, for pages with panes of their own. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A page: its one heading, what can be done, and what it is about. */
export function Page({ title, tab = title, note, actions, wide = false, children }: Props) {
  const open = useOpenCount();
  useLayoutEffect(() => showInTab(tab, open), [tab, open]);
  return (
    <div className={styles['page']} data-wide={wide || undefined}>
      <div className={styles['head']}>
        <h1>{title}</h1>
        {note !== undefined && <div className={styles['note']}>{note}</div>}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}
