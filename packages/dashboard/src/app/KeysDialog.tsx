import { useEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/icons.tsx';
import styles from './KeysDialog.module.css';
import { keyMap } from './keys.ts';

/** The keys; the browser's own dialog brings focus and Esc along. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      aria-labelledby="keys-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles['inside']}>
        <div className={styles['head']}>
          <h2 id="keys-title">Keys</h2>
          <Button quiet icon onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </Button>
        </div>
        <dl>
          {keyMap.map(({ action, shown, text }) => (
            <div key={action}>
              <dt>{text}</dt>
              <dd>
                {shown.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  );
}
