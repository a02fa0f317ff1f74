import { useState } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import styles from './BlockView.module.css';

/** More of a text is shown to who asks for it. */
const CLAMP = 1_600;

interface Props {
  readonly text: string;
  readonly code?: boolean;
  readonly veiled: boolean;
}

/** What was said. Texts are texts: nothing in them is ever taken for markup. */
export function Said({ text, code = false, veiled }: Props) {
  const [whole, setWhole] = useState(false);
  if (veiled) return <p className={styles['veiled']}>{plural(text.length, 'character')}, hidden</p>;
  const cut = !whole && text.length > CLAMP;
  return (
    <>
      <div className={styles[code ? 'code' : 'text']}>
        {visibleText(cut ? `${text.slice(0, CLAMP)}…` : text)}
      </div>
      {text.length > CLAMP && (
        <Button small quiet onClick={() => setWhole(!whole)}>
          {cut ? `All ${formatNumber(text.length)} characters` : 'Less'}
        </Button>
      )}
    </>
  );
}
