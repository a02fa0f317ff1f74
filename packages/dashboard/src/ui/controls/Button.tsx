import type { ComponentProps } from 'react';
import { toast } from '../feedback/toast-store.ts';
import styles from './Button.module.css';

type Props = ComponentProps<'button'> & {
  readonly quiet?: boolean;
  /** Holds only an icon; give it an aria-label. */
  readonly icon?: boolean;
  readonly tone?: 'accent' | 'hot' | undefined;
  readonly small?: boolean;
  /** Why it does nothing for whoever looks; it says so when it is pressed. */
  readonly refused?: string | undefined;
};

export function Button({ quiet, icon, tone, small, refused, ...rest }: Props) {
  const saysWhy = refused !== undefined && {
    'aria-disabled': true,
    title: refused,
    onClick: () => toast(refused),
  };
  return (
    <button
      type="button"
      className={styles['button']}
      data-quiet={quiet || undefined}
      data-icon={icon || undefined}
      data-tone={tone}
      data-small={small || undefined}
      {...rest}
      {...saysWhy}
    />
  );
}
