import type { IncidentItem } from '@loopwatch/contract/api';
import { costShort } from '../incident/cost.ts';
import { formatReason } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { RowLink } from '../list/RowLink.tsx';
import { RowList, type RowListProps } from '../list/RowList.tsx';
import { Ring } from '../ui/charts/Ring.tsx';
import { DetectorLabel, StateLabel, TriageLabel } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import styles from './IncidentList.module.css';

interface Props extends RowListProps<IncidentItem> {
  readonly arrived: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, range: boolean) => void;
  readonly onHover: (isOver: boolean) => void;
  readonly more: 'idle' | 'reading' | 'failed' | 'done';
}

/** The incidents as a virtual list. */
export function IncidentList({ arrived, selected, onSelect, onPeek, onHover, more, ...list }: Props) {
  return (
    <div
      onPointerEnter={(event) => event.pointerType === 'mouse' && onHover(true)}
      onPointerLeave={() => onHover(false)}
    >
      <RowList
        {...list}
        list="incidents"
        label="Incidents, newest first"
        keyOf={({ id }) => id}
        tracks={{ row: '34px minmax(0, 1fr)', card: '34px minmax(0, 1fr) auto' }}
        cardHeight={104}
        minWidth={860}
        className={styles['list']}
        headings={
          <>
            <span />
            <span>Reason</span>
          </>
        }
        rowProps={(row) => ({
          className: styles['item'],
          'data-arrived': arrived.has(row.id) || undefined,
          'data-selected': selected.has(row.id) || undefined,
          'data-over': ['muted', 'false_positive'].includes(row.triage.status) || undefined,
        })}
        footer={<Footer more={more} onRetry={list.onEnd} />}
      >
        {(row, narrow) => (
          <>
            <label className={styles['pick']}>
              <Ring
                detector={row.detector}
                count={row.count}
                threshold={row.threshold}
                period={row.period}
                over={row.state === 'resolved'}
              />
              <input
                type="checkbox"
                checked={selected.has(row.id)}
                aria-label={`Select: ${row.reason}`}
                onChange={(event) => onSelect(row.id, (event.nativeEvent as MouseEvent).shiftKey)}
              />
            </label>
            <div className={styles['why']}>
              <RowLink
                to="/incidents/$id"
                id={row.id}
                title={row.reason}
                peek={list.peek}
                onPeek={onPeek}
                className={styles['link']}
              >
                {formatReason(row.reason)}
              </RowLink>
              <span className={styles['under']}>
                <DetectorLabel detector={row.detector} />
                {narrow && <TriageLabel triage={row.triage} />}
              </span>
            </div>
            {narrow && <CardFacts row={row} />}
          </>
        )}
      </RowList>
    </div>
  );
}

function CardFacts({ row }: { readonly row: IncidentItem }) {
  const { value, unit } = costShort(row);
  return (
    <>
      <div className={styles['facts']}>
        <code>{visibleText(row.agent ?? row.sessionId)}</code>
        <span>
          {value} {unit}
        </span>
        <Ago time={row.detectedAt} />
      </div>
      <div>
        <StateLabel state={row.state} outcome={row.outcome} />
      </div>
    </>
  );
}

function Footer({ more, onRetry }: Pick<Props, 'more'> & { readonly onRetry: () => void }) {
  if (more === 'reading') {
    return (
      <p className={styles['end']} role="status">
        Loading more…
      </p>
    );
  }
  if (more !== 'failed') return null;
  return (
    <p className={styles['end']} role="alert">
      Could not load more.{' '}
      <button type="button" onClick={onRetry}>
        Retry
      </button>
    </p>
  );
}
