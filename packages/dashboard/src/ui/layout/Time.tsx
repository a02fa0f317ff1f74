import { useNow } from '../../lib/clock.ts';
import { formatAgo, formatExact, formatTime } from '../../lib/format.ts';

/** A time as "2 min ago"; the tooltip has the exact time and zone. */
export function Ago({ time }: { readonly time: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)}>
      {formatAgo(Math.max(0, now - time))}
    </time>
  );
}

/** A time of day; the tooltip has the exact time and zone. */
export function Clock({ time }: { readonly time: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)}>
      {formatTime(time, now)}
    </time>
  );
}
