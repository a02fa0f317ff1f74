import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon } from '../lib/icons.tsx';

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
        <DropdownMenu.Content
          className="floating p-1.25 outline-none z-6 min-w-47.5 max-w-[min(420px,calc(100vw_-_16px))] max-h-[min(480px,var(--radix-popper-available-height))] overflow-auto"
          align={align}
          sideOffset={4}
          collisionPadding={8}
        >
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

const itemClass =
  'px-2.25 py-0.75 outline-none flex items-center gap-2 min-h-7.5 rounded-[6px] text-ink cursor-pointer [&_small]:text-xs [&_small]:text-ink3 data-highlighted:bg-raise data-disabled:text-ink3 data-disabled:cursor-default';

export function MenuItem({ onSelect, children, note, disabled = false }: ItemProps) {
  return (
    <DropdownMenu.Item className={itemClass} onSelect={onSelect} disabled={disabled}>
      <span className="truncate min-w-0 flex-1">{children}</span>
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
      className={itemClass}
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
    >
      <span
        className="border-[1.4px] border-line2 size-3.75 grid place-items-center rounded-sm data-on:border-accent data-on:bg-accent data-on:text-panel"
        data-on={checked || undefined}
      >
        {checked && <Icon name="check" size={12} />}
      </span>
      <span className="truncate min-w-0 flex-1">{children}</span>
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2.25 pt-1 pb-0.75 text-xs font-550 text-ink3">
      {children}
    </DropdownMenu.Label>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1.25 h-px bg-line" />;
}
