import type { ButtonHTMLAttributes } from 'react';
import styles from './Button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly quiet?: boolean;
  /** Holds only an icon; give it an aria-label. */
  readonly icon?: boolean;
  readonly tone?: 'accent' | undefined;
};

export function Button({ quiet, icon, tone, ...rest }: Props) {
  return (
    <button
      type="button"
      className={styles['button']}
      data-quiet={quiet || undefined}
      data-icon={icon || undefined}
      data-tone={tone}
      {...rest}
    />
  );
}
