import { useState } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import styles from './BlockView.module.css';

/** Longer texts are cut until expanded. */
const MAX_CHARACTERS = 1_600;

interface Props {
  readonly text: string;
  readonly code?: boolean;
  readonly isRedacted: boolean;
}

/** A text of the session as plain text, or only its length if it is redacted. */
export function BlockText({ text, code = false, isRedacted }: Props) {
  const [whole, setWhole] = useState(false);
  if (isRedacted) return <p className={styles['redacted']}>{plural(text.length, 'character')} hidden</p>;
  const cut = !whole && text.length > MAX_CHARACTERS;
  return (
    <>
      <div className={styles[code ? 'code' : 'text']}>
        {visibleText(cut ? `${text.slice(0, MAX_CHARACTERS)}…` : text)}
      </div>
      {text.length > MAX_CHARACTERS && (
        <Button small quiet onClick={() => setWhole(!whole)}>
          {cut ? `Show all ${formatNumber(text.length)} characters` : 'Show less'}
        </Button>
      )}
    </>
  );
}
