import { keyMap } from '../lib/keys.ts';
import { Dialog } from '../ui/controls/Dialog.tsx';
import styles from './KeysDialog.module.css';

/** Lists the keyboard shortcuts. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles['keys']}>
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
    </Dialog>
  );
}
