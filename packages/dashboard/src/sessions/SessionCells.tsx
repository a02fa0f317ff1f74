import type { SessionItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { DetectorSquare, SampleChip } from '../ui/Chip.tsx';
import { detectorIds } from '../ui/detectors.ts';
import { formatCompact, formatDuration, plural } from '../ui/format.ts';
import rowLink from '../ui/RowLink.module.css';
import { Sparkline } from '../ui/Sparkline.tsx';
import { Ago } from '../ui/Time.tsx';
import { activityOf } from './activity.ts';
import styles from './SessionList.module.css';
import { SessionState } from './SessionState.tsx';

/** Of a session's time, in its picture. */
const PARTS = 12;
/** Of fewer, the parts between are guessed, and all look the same. */
const FEWEST_MOMENTS = 4;

/** What a row says of its session, one cell a column. */
export function SessionCells({ row }: { readonly row: SessionItem }) {
  const ms = Math.max(0, row.lastEventAt - row.startedAt);
  return (
    <>
      <div className={styles['name']}>
        <Link className={rowLink['link']} to="/sessions/$id" params={{ id: row.sessionId }}>
          {row.sessionId}
        </Link>
        <small>
          {row.sample === true && <SampleChip />}
          {row.agent ?? 'agent not given'}
        </small>
      </div>
      <div className={styles['model']}>
        {row.model ?? 'model not given'}
        <small>{row.backend}</small>
      </div>
      <Loops row={row} />
      <div className={styles['activity']}>
        {(row.course?.length ?? 0) >= 2 * FEWEST_MOMENTS && (
          <Sparkline values={activityOf(row, PARTS)} text={`activity over ${formatDuration(ms)}`} />
        )}
      </div>
      <div className={styles['numbers']}>
        {plural(row.turns, 'turn')}
        <small>{plural(row.toolCalls, 'call')}</small>
      </div>
      <div className={styles['tokens']}>
        {row.tokens === null ? '–' : formatCompact(row.tokens.input + row.tokens.output)}
        <small>{plural(row.events, 'event')}</small>
      </div>
      <div className={styles['last']}>
        <Ago time={row.lastEventAt} />
        <small>{ms > 0 && `over ${formatDuration(ms)}`}</small>
      </div>
      <div className={styles['state']}>
        <SessionState state={row.state} />
      </div>
    </>
  );
}

/** A square a detector, so that one sees at a glance what kind of trouble a session had. */
function Loops({ row: { incidents } }: { readonly row: SessionItem }) {
  if (incidents.total === 0) return <div className={styles['loops']}>none</div>;
  return (
    <div className={styles['loops']} data-open={incidents.open > 0 || undefined}>
      <span>
        {plural(incidents.total, 'loop')}
        {detectorIds.flatMap((id) => {
          const count = incidents.byDetector[id] ?? 0;
          return count === 0
            ? []
            : [
                <i key={id} title={`${id}: ${String(count)}`}>
                  <DetectorSquare detector={id} />
                </i>,
              ];
        })}
      </span>
      <small>{unresolvedText(incidents)}</small>
    </div>
  );
}

/** How many of a session's loops are not resolved. */
export function unresolvedText({ open, quiet }: SessionItem['incidents']): string {
  if (open > 0) return `${String(open)} open`;
  return quiet > 0 ? `${String(quiet)} quiet` : 'all resolved';
}
