import { useEffect, useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { toast } from '../feedback/toast-store.ts';
import { Icon } from '../lib/icons.tsx';

interface Props {
  /** Text to copy, or a function that creates or loads it. */
  readonly text: string | (() => string | Promise<string>);
  /** What it is, such as "link". */
  readonly what: string;
  /** What it contains and what it is for, where its name does not say so; also confirms the copy. */
  readonly about?: string;
  /** Icon only. */
  readonly bare?: boolean;
}

const SHOWN_MS = 1_600;

/** A small icon beside a text. */
export const iconClass =
  'ml-0.5 size-6 inline-grid place-items-center rounded-sm text-ink3 align-middle hover:bg-raise hover:text-ink data-done:text-ok';

export function CopyButton({ text, what, about, bare = false }: Props) {
  const [result, setResult] = useState<'copied' | 'failed'>();
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);

  const copy = () => {
    setBusy(true);
    Promise.resolve(typeof text === 'string' ? text : text())
      .then(copyText)
      .then(
        () => {
          setResult('copied');
          if (about !== undefined) toast(`Copied: ${about}`);
        },
        (error: unknown) => {
          setResult('failed');
          toast(`Copy failed: ${errorText(error)}`, { tone: 'hot' });
        },
      )
      .finally(() => setBusy(false));
  };
  const said =
    result === 'copied' ? 'Copied' : result === 'failed' ? 'Copy failed' : busy ? 'Loading…' : `Copy ${what}`;
  const icon = result === 'copied' ? 'check' : 'copy';
  if (bare) {
    return (
      <button
        type="button"
        className={iconClass}
        data-done={result === 'copied' || undefined}
        onClick={copy}
        aria-label={said}
        title={said}
      >
        <Icon name={icon} size={13} />
      </button>
    );
  }
  return (
    <button type="button" className="button" onClick={copy} title={about}>
      <Icon name={icon} size={14} />
      <span aria-live="polite">{said}</span>
    </button>
  );
}

/** The clipboard API needs https or localhost; elsewhere copying a selection still works. */
async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard !== undefined) return clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way on plain http
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('The browser does not allow copying here');
}
