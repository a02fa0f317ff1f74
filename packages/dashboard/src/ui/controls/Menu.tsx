import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon } from '../lib/icons.tsx';
import styles from './Menu.module.css';

interface Props {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

/** A menu; keys, focus and roles come from Radix. */
export function Menu({ trigger, children, align = 'start' }: Props) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles['menu']} align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  /** On the right, such as a key or a count. */
  readonly note?: ReactNode;
  readonly disabled?: boolean;
}

export function MenuItem({ onSelect, children, note, disabled = false }: ItemProps) {
  return (
    <DropdownMenu.Item className={styles['item']} onSelect={onSelect} disabled={disabled}>
      <span>{children}</span>
      {note !== undefined && <small>{note}</small>}
    </DropdownMenu.Item>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}

/** Stays open, so that several can be chosen. */
export function MenuCheck({ checked, onChange, children }: CheckProps) {
  return (
    <DropdownMenu.CheckboxItem
      className={styles['item']}
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
    >
      <span className={styles['check']} data-on={checked || undefined}>
        {checked && <Icon name="check" size={12} />}
      </span>
      <span>{children}</span>
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className={styles['label']}>{children}</DropdownMenu.Label>;
}

export function MenuLine() {
  return <DropdownMenu.Separator className={styles['line']} />;
}
