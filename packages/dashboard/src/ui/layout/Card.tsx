import { type ReactNode, useId } from 'react';
import { ErrorBoundary } from '../feedback/ErrorBoundary.tsx';
import styles from './Card.module.css';

interface Props {
  readonly title: string;
  /** A few words that say how to read it. */
  readonly note?: ReactNode;
  /** Without the padding of a text. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page; where it cannot be drawn, the others still are. */
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
