import { Button } from '../ui/controls/Button.tsx';
import styles from './Transcript.module.css';
import type { Redaction } from './use-redaction.ts';

/** Says that text is hidden, with a button to show it. */
export function RedactionNote({
  redaction: { storesText, isRedacted, toggle },
}: {
  readonly redaction: Redaction;
}) {
  if (storesText) return null;
  return (
    <p className={styles['redaction']} role="note">
      {isRedacted
        ? 'Text is hidden because privacy.store_text is off.'
        : 'Text is shown although privacy.store_text is off.'}{' '}
      <Button small onClick={toggle}>
        {isRedacted ? 'Show text' : 'Hide text'}
      </Button>
    </p>
  );
}
