import { Button } from '../ui/controls/Button.tsx';
import styles from './Transcript.module.css';
import type { Veil } from './use-veil.ts';

/** Says that texts are hidden, and lets them be seen. */
export function VeilNote({ veil: { keepsTexts, veiled, toggle } }: { readonly veil: Veil }) {
  if (keepsTexts) return null;
  return (
    <p className={styles['veil']} role="note">
      {veiled
        ? 'Texts are hidden, because privacy.store_text is off.'
        : 'Texts are shown, though privacy.store_text is off.'}{' '}
      <Button small onClick={toggle}>
        {veiled ? 'Show them' : 'Hide them'}
      </Button>
    </p>
  );
}
