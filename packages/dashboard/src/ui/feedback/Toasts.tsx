import { useEffect } from 'react';
import { Button } from '../controls/Button.tsx';
import { Icon } from '../lib/icons.tsx';
import styles from './Toasts.module.css';
import { dismiss, type Toast, useToasts } from './toast-store.ts';

/** Long enough to read it and to press Undo. */
const SHOWN_MS = 8_000;

export function Toasts() {
  const toasts = useToasts();
  return (
    <section className={styles['toasts']} aria-label="Messages" aria-live="polite">
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
    <div className={styles['toast']} data-tone={tone}>
      <span className="grow">{text}</span>
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
