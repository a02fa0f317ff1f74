import { type ReactNode, useId } from 'react';
import { ErrorBoundary } from '../feedback/ErrorBoundary.tsx';
import styles from './Card.module.css';

interface Props {
  readonly title: string;
  /** Short explanation. */
  readonly note?: ReactNode;
  /** Without padding. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with its own error boundary. */
export function Card({ title, note, flush = false, children }: Props) {
  const id = useId();
  return (
    <section className={styles['card']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p>{note}</p>}
      </div>
      <ErrorBoundary>{flush ? children : <div className={styles['body']}>{children}</div>}</ErrorBoundary>
    </section>
  );
}
