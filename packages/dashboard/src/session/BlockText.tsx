import { useState } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';

/** Longer texts are cut until expanded. */
const MAX_CHARACTERS = 1_600;

interface Props {
  readonly text: string;
  readonly code?: boolean;
  readonly isRedacted: boolean;
}

const codeClass = 'font-mono text-sm/[1.6] font-450 text-ink2 in-data-failed:text-hot';
const textClass =
  'max-w-[90ch] in-data-[kind=thought]:italic in-data-[kind=thought]:text-ink2 in-data-[kind=note]:text-ink3 in-data-[kind=unreadable]:text-hot';

/** A text of the session as plain text, or only its length if it is redacted. */
export function BlockText({ text, code = false, isRedacted }: Props) {
  const [whole, setWhole] = useState(false);
  if (isRedacted) return <p className="text-sm text-ink3">{plural(text.length, 'character')} hidden</p>;
  const cut = !whole && text.length > MAX_CHARACTERS;
  return (
    <>
      <div className={`whitespace-pre-wrap wrap-anywhere ${code ? codeClass : textClass}`}>
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
