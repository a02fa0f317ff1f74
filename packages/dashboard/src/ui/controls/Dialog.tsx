import { type ComponentProps, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
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

/** A dialog with a title and a close button. */
export function Dialog({ title, note, wide = false, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  return (
    <Modal
      ref={dialog}
      className={styles['dialog']}
      data-wide={wide || undefined}
      aria-labelledby={id}
      onClose={onClose}
    >
      <div className={styles['inside']}>
        <div className={styles['head']}>
          <h2 id={id}>{title}</h2>
          <div className={styles['note']}>{note}</div>
          <Button quiet icon onClick={() => dialog.current?.close()} aria-label="Close">
            <Icon name="close" />
          </Button>
        </div>
        {children}
      </div>
    </Modal>
  );
}

/** The browser's own modal dialog, which handles focus and Esc; a click on its backdrop closes it. */
export function Modal({ ref, ...props }: ComponentProps<'dialog'> & { readonly ref: DialogRef }) {
  useEffect(() => ref.current?.showModal(), [ref]);
  return (
    <dialog
      ref={ref}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
      {...props}
    />
  );
}

type DialogRef = RefObject<HTMLDialogElement | null>;
