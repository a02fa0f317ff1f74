import { type ComponentProps, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { Icon } from '../lib/icons.tsx';
import { Button } from './Button.tsx';

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
      className="m-auto w-[min(400px,calc(100vw_-_32px))] data-wide:w-[min(760px,calc(100vw_-_24px))]"
      data-wide={wide || undefined}
      aria-labelledby={id}
      onClose={onClose}
    >
      <div className="px-4 pt-3 pb-4">
        <div className="mb-2 flex items-center gap-3">
          <h2 id={id} className="text-lg font-620">
            {title}
          </h2>
          <div className="flex-1">{note}</div>
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
