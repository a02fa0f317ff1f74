import type { SessionItem } from '@loopwatch/contract/api';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { RowLink } from '../list/RowLink.tsx';
import { RowList, type RowListProps } from '../list/RowList.tsx';
import { SampleChip } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { Loops } from './columns.tsx';
import styles from './SessionList.module.css';
import { SessionState } from './SessionState.tsx';

/** The sessions as a virtual list. */
export function SessionList({ onPeek, ...list }: RowListProps<SessionItem>) {
  return (
    <RowList
      {...list}
      list="sessions"
      label="Sessions"
      keyOf={({ sessionId }) => sessionId}
      tracks={{ row: 'minmax(0, 1fr)', card: 'minmax(0, 1fr) auto auto' }}
      cardHeight={92}
      minWidth={900}
      className={styles['list']}
      headings={<span>Session</span>}
      rowProps={() => ({ className: styles['row'] })}
    >
      {(row, narrow) => (
        <>
          <div className={styles['name']}>
            <RowLink
              to="/sessions/$id"
              id={row.sessionId}
              title={row.sessionId}
              peek={list.peek}
              onPeek={onPeek}
            >
              {visibleText(row.sessionId)}
            </RowLink>
            <small className="truncate">
              {row.sample === true && <SampleChip />}
              {visibleText(row.agent ?? 'unknown agent')}
            </small>
          </div>
          {narrow && (
            <>
              <SessionState state={row.state} />
              <div className={styles['facts']}>
                <Loops incidents={row.incidents} />
                <span>{plural(row.turns, 'turn')}</span>
                <Ago time={row.lastEventAt} />
              </div>
            </>
          )}
        </>
      )}
    </RowList>
  );
}
