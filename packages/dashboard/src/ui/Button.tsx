import type { ComponentProps } from 'react';
import styles from './Button.module.css';

type Props = ComponentProps<'button'> & {
  readonly quiet?: boolean;
  /** Holds only an icon; give it an aria-label. */
  readonly icon?: boolean;
  readonly tone?: 'accent' | 'hot' | undefined;
  readonly small?: boolean;
};

export function Button({ quiet, icon, tone, small, ...rest }: Props) {
  return (
    <button
      type="button"
      className={styles['button']}
      data-quiet={quiet || undefined}
      data-icon={icon || undefined}
      data-tone={tone}
      data-small={small || undefined}
      {...rest}
    />
  );
}
