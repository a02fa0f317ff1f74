import { keyMap } from '../lib/keys.ts';
import { Dialog } from '../ui/controls/Dialog.tsx';

/** Lists the keyboard shortcuts. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl>
        {keyMap.map(({ action, shown, text }) => (
          <div className="flex items-center justify-between border-t py-1.75" key={action}>
            <dt>{text}</dt>
            <dd className="flex gap-1">
              {shown.map((key) => (
                <kbd className="min-w-6 bg-raise text-center" key={key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
