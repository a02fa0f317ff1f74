import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface Props {
  readonly trigger: ReactNode;
  /** Accessible name of the panel. */
  readonly label: string;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** A small panel beside its button. */
export function Popover({ trigger, label, open, onOpen, align = 'end', children }: Props) {
  return (
    <Radix.Root open={open} onOpenChange={onOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="floating p-3 outline-none z-6 min-w-47.5 max-w-[min(420px,calc(100vw_-_16px))] max-h-[min(480px,var(--radix-popper-available-height))] overflow-auto"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
