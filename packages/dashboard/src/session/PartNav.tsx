import type { SessionItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatNumber, plural } from '../lib/format.ts';
import type { ShownPart } from './parts.ts';

/** Leads to the events before and after a long pause. */
export function PartNav({ session, shown }: { readonly session: SessionItem; readonly shown: ShownPart }) {
  const { parts = [], sessionId } = session;
  if (parts.length < 2) return null;
  const linkTo = (index: number, text: string) => {
    const to = parts[index];
    if (to === undefined) return null;
    return (
      <Link
        className="text-accent hover:underline"
        to="/sessions/$id"
        params={{ id: sessionId }}
        search={{ part: to.source.firstOffset }}
      >
        {text} ({plural(to.events, 'event')})
      </Link>
    );
  };
  return (
    <nav className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink2" aria-label="Parts of the session">
      <span title="Detection and event numbers start over after a long pause; all counts of the session include all parts">
        Part {formatNumber(shown.index + 1)} of {formatNumber(parts.length)}, between long pauses
      </span>
      {linkTo(shown.index - 1, 'Earlier part')}
      {linkTo(shown.index + 1, 'Later part')}
    </nav>
  );
}
