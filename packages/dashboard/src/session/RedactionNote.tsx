import { Button } from '../ui/controls/Button.tsx';
import type { Redaction } from './use-redaction.ts';

/** Says that text is hidden, with a button to show it. */
export function RedactionNote({
  redaction: { storesText, isRedacted, toggle },
}: {
  readonly redaction: Redaction;
}) {
  if (storesText) return null;
  return (
    <p className="px-4 py-2 flex flex-wrap items-center gap-3 border-b text-ink2 text-sm" role="note">
      {isRedacted
        ? 'Text is hidden because privacy.store_text is off.'
        : 'Text is shown although privacy.store_text is off.'}{' '}
      <Button small onClick={toggle}>
        {isRedacted ? 'Show text' : 'Hide text'}
      </Button>
    </p>
  );
}
