import { formatNumber, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import styles from './ReadMore.module.css';
import type { Recordings } from './use-recordings.ts';

/** Reads further sessions into the trial, and says how far that is. */
export function ReadMore({
  recordings: { progress, rest, step, more },
}: {
  readonly recordings: Recordings;
}) {
  if (progress !== undefined) {
    return (
      <p className={styles['more']} role="status">
        <progress aria-label="Sessions read" value={progress.done} max={progress.of} />
        Reading sessions: {formatNumber(progress.done)} of {formatNumber(progress.of)}
      </p>
    );
  }
  if (rest === 0) return null;
  return (
    <p className={styles['more']}>
      <Button small onClick={more}>
        Try {plural(step, 'more session')}
      </Button>
    </p>
  );
}
