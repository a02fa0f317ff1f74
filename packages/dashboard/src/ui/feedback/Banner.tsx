import type { ReactNode } from 'react';
import styles from './Banner.module.css';

interface Props {
  /** In a word or two, such as "Sample data". */
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly tone?: 'plain' | 'warm';
}

/** A line above every page, for what holds on all of them. */
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
