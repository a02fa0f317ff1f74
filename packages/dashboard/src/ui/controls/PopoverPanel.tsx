import { Popover as Radix } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';

interface Props {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The open panel of a popover. Its button is no part of it, since this code is loaded later. */
export default function PopoverPanel({ anchor, label, align = 'end', onClose, children }: Props) {
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Anchor virtualRef={anchor} />
      <Radix.Portal>
        <Radix.Content
          className="floating p-3 outline-none z-6 min-w-47.5 max-w-[min(420px,calc(100vw_-_16px))] max-h-[min(480px,var(--radix-popper-available-height))] overflow-auto"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          // The button closes the panel itself.
          onInteractOutside={(event) => {
            if (anchor.current?.contains(event.target as Node) === true) event.preventDefault();
          }}
          // The focus returns to the button, unless the user has moved it elsewhere.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body) anchor.current?.focus({ preventScroll: true });
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
