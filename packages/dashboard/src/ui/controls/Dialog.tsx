import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from '../lib/icons.tsx';
import { Button } from './Button.tsx';
import styles from './Dialog.module.css';

interface Props {
  readonly title: string;
  /** Beside the title. */
  readonly note?: ReactNode;
  readonly wide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser's own dialog, which brings focus and Esc along; a press beside it closes it. */
export function Dialog({ title, note, wide = false, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      data-wide={wide || undefined}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles['inside']}>
        <div className={styles['head']}>
          <h2 id={id}>{title}</h2>
          <div className={styles['note']}>{note}</div>
          <Button quiet icon onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
