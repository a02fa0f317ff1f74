import { useNow } from '../../lib/clock.ts';
import { formatAgo, formatExact, formatTime } from '../../lib/format.ts';

/** A moment by wall clock, as "2 min ago"; the exact time with its zone is in the tooltip. */
export function Ago({ time }: { readonly time: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)}>
      {formatAgo(Math.max(0, now - time))}
    </time>
  );
}

/** A moment as the clock showed it. */
export function Clock({ time }: { readonly time: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)}>
      {formatTime(time, now)}
    </time>
  );
}
