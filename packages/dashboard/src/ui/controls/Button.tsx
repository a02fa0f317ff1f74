import type { ComponentProps } from 'react';
import { toast } from '../feedback/toast-store.ts';

type Props = ComponentProps<'button'> & {
  readonly quiet?: boolean;
  /** Icon only; needs an aria-label. */
  readonly icon?: boolean;
  readonly tone?: 'accent' | 'hot' | undefined;
  readonly small?: boolean;
  /** Why the user may not use it; shown as a toast on click. */
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
      className="button"
      data-quiet={quiet || undefined}
      data-icon={icon || undefined}
      data-tone={tone}
      data-small={small || undefined}
      {...rest}
      {...saysWhy}
    />
  );
}
