import { useEffect } from 'react';
import { Button } from '../controls/Button.tsx';
import { Icon } from '../lib/icons.tsx';
import { dismiss, type Toast, useToasts } from './toast-store.ts';

/** Long enough to read it and to press Undo. */
const SHOWN_MS = 8_000;

export function Toasts() {
  const toasts = useToasts();
  return (
    <section
      className="fixed z-5 left-1/2 bottom-6 -translate-x-1/2 grid gap-2 w-max max-w-[calc(100vw_-_32px)] max-sm:bottom-19"
      aria-label="Messages"
      aria-live="polite"
    >
      {toasts.map((one) => (
        <Item key={one.id} toast={one} />
      ))}
    </section>
  );
}

function Item({ toast: { id, text, tone, action } }: { readonly toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div
      className="floating pr-1.5 pl-3.5 py-1.5 flex items-center gap-3 min-h-10 animate-rise data-[tone=hot]:border-hot data-[tone=hot]:text-hot"
      data-tone={tone}
    >
      <span className="flex-1">{text}</span>
      {action !== undefined && (
        <Button
          small
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.name}
        </Button>
      )}
      <Button quiet icon small onClick={() => dismiss(id)} aria-label="Dismiss">
        <Icon name="close" size={13} />
      </Button>
    </div>
  );
}
