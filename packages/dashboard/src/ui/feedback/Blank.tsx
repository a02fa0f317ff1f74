import type { ReactNode } from 'react';
import styles from './Blank.module.css';

/** The panel of a list that has no rows to show. */
export function Blank({ children }: { readonly children: ReactNode }) {
  return <div className={styles['blank']}>{children}</div>;
}
