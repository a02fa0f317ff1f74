import type { ReactNode } from 'react';
import styles from './Banner.module.css';

interface Props {
  /** Short, such as "Sample data". */
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly tone?: 'plain' | 'warm';
}

/** A banner above every page. */
export function Banner({ title, children, actions, tone = 'plain' }: Props) {
  return (
    <section className={styles['banner']} data-tone={tone} aria-label={title}>
      <p>
        <b>{title}</b> {children}
      </p>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </section>
  );
}
