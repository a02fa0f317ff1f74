import { formatNumber, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import type { Recordings } from './use-recordings.ts';

/** Loads more sessions into the preview and shows the progress. */
export function LoadMore({
  recordings: { progress, rest, step, more },
}: {
  readonly recordings: Recordings;
}) {
  if (progress !== undefined) {
    return (
      <p className="mt-3 flex items-center gap-3 text-sm text-ink2" role="status">
        <progress
          className="w-35 accent-accent"
          aria-label="Sessions loaded"
          value={progress.done}
          max={progress.of}
        />
        Loading sessions: {formatNumber(progress.done)} of {formatNumber(progress.of)}
      </p>
    );
  }
  if (rest === 0) return null;
  return (
    <p className="mt-3 flex items-center gap-3 text-sm text-ink2">
      <Button small onClick={more}>
        Load {plural(step, 'more session')}
      </Button>
    </p>
  );
}
