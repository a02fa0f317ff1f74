import { useEffect, useRef, useState } from 'react';
import { plural } from '../lib/format.ts';

interface Props {
  readonly found: number | undefined;
  readonly open: number | undefined;
}

/** Minimum time between announcements, so that a burst of incidents does not flood a screen reader. */
const EVERY_MS = 5_000;

/** Announces new incidents to screen readers. */
export function Announcement({ found, open }: Props) {
  const [text, setText] = useState('');
  const told = useRef<number>(undefined);

  useEffect(() => {
    if (found === undefined || open === undefined) return;
    told.current ??= found;
    if (found <= told.current) return;
    const timer = setTimeout(() => {
      const news = found - (told.current ?? found);
      told.current = found;
      setText(`${plural(news, 'new incident')}, ${String(open)} open`);
    }, EVERY_MS);
    return () => clearTimeout(timer);
  }, [found, open]);

  return (
    <p className="sr-only" aria-live="polite">
      {text}
    </p>
  );
}
