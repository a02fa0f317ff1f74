import type { SessionItem } from '@loopwatch/contract/api';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { RowLink } from '../list/RowLink.tsx';
import { RowList, type RowListProps } from '../list/RowList.tsx';
import { SampleChip } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { IncidentCount } from './columns.tsx';
import { SessionState } from './SessionState.tsx';
import { sessionName, sessionPlace } from './session-name.ts';

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
      headings={<span>Session</span>}
      rowProps={() => ({ className: 'data-current:bg-accent-soft in-data-narrow:gap-y-1' })}
    >
      {(row, narrow) => (
        <>
          <div className="min-w-0 in-data-narrow:col-[1/3]" dir="auto">
            <RowLink
              className={`block truncate text-ink ${row.title === undefined ? 'font-mono text-sm/[1.6]' : ''}`}
              to="/sessions/$id"
              id={row.sessionId}
              title={sessionName(row)}
              peek={list.peek}
              onPeek={onPeek}
            >
              {sessionName(row)}
            </RowLink>
            <small className="truncate block min-h-4.5 text-sm text-ink3">
              {row.sample === true && <SampleChip />}
              {sessionPlace(row)}
              {row.title !== undefined && (
                <code className="ms-2 text-xs font-mono font-450">{visibleText(row.sessionId)}</code>
              )}
            </small>
          </div>
          {narrow && (
            <>
              <SessionState session={row} />
              <div className="col-span-full flex items-baseline gap-3 min-w-0 overflow-hidden whitespace-nowrap text-sm text-ink2 [&_small]:hidden [&>:last-child]:ml-auto">
                <IncidentCount incidents={row.incidents} />
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
