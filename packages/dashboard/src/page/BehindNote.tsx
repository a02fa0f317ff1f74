import { useNow } from '../lib/clock.ts';
import { formatLag, formatTime } from '../lib/format.ts';
import { useLive } from '../live/context.ts';
import { behindBy } from '../live/link-text.ts';

/** Says as of when a page is, while the server has not read everything yet. */
export function BehindNote() {
  const heartbeat = useLive((state) => state.heartbeat);
  const now = useNow();
  const behind = behindBy(heartbeat, now);
  if (behind === undefined || heartbeat?.readTo == null) return null;
  return (
    <p className="px-3 py-1.5 rounded-md bg-warm-soft text-warm text-sm" role="note">
      As of {formatTime(heartbeat.readTo, now)}: {formatLag(behind)} behind. Later events are not shown yet.
    </p>
  );
}
