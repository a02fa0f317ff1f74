import { type ReactNode, useLayoutEffect } from 'react';
import { showInTab } from './favicon.ts';
import { useOpenCount } from './open-count.ts';
import styles from './Page.module.css';

interface Props {
  readonly title: string;
  /** Title of the browser tab, if it differs. */
  readonly tab?: string;
  /** Beside the heading. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** Full width, for pages with panes. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A page with its heading and actions. */
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
