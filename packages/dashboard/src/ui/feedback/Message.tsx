import { createElement, type ReactNode } from 'react';
import styles from './Message.module.css';

interface Props {
  readonly title: string;
  /** Heading level. */
  readonly level?: 1 | 2;
  readonly tone?: 'plain' | 'hot';
  readonly picture?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** Message for empty, no-match and error states. */
export function Message({ title, level = 2, tone = 'plain', picture, children, action }: Props) {
  return (
    <div className={styles['message']} data-tone={tone} role={tone === 'hot' ? 'alert' : undefined}>
      {picture}
      {createElement(`h${String(level)}`, {}, title)}
      {children !== undefined && <div className={styles['text']}>{children}</div>}
      {action}
    </div>
  );
}
