import type { IncidentItem } from '@loopwatch/contract/api';
import { costShort } from '../incident/cost.ts';
import { visibleText } from '../lib/visible-text.ts';
import { RowLink } from '../list/RowLink.tsx';
import { RowList, type RowListProps } from '../list/RowList.tsx';
import { Ring } from '../ui/charts/Ring.tsx';
import { DetectorLabel, StateLabel, TriageLabel } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { LoopSummary, LoopTitle } from './LoopSummary.tsx';

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
        headings={
          <>
            <span />
            <span>Incident</span>
          </>
        }
        rowProps={(row) => ({
          className:
            'data-current:bg-accent-soft data-selected:bg-accent-soft data-arrived:animate-arrive in-data-narrow:gap-y-1.5',
          'data-arrived': arrived.has(row.id) || undefined,
          'data-selected': selected.has(row.id) || undefined,
          'data-over': ['muted', 'false_positive'].includes(row.triage.status) || undefined,
        })}
        footer={<Footer more={more} onRetry={list.onEnd} />}
      >
        {(row, narrow) => (
          <>
            <label className="group/pick size-8.5 relative z-1 grid place-items-center cursor-pointer hover:[&_svg]:opacity-12 has-focus-visible:[&_svg]:opacity-12 has-checked:[&_svg]:opacity-12 in-data-narrow:row-[1/3] in-data-narrow:self-start">
              <Ring
                detector={row.detector}
                count={row.count}
                threshold={row.threshold}
                period={row.period}
                over={row.state === 'resolved'}
              />
              <input
                className="m-0 size-4 absolute opacity-0 accent-accent group-hover/pick:opacity-100 focus-visible:opacity-100 checked:opacity-100"
                type="checkbox"
                checked={selected.has(row.id)}
                aria-label={`Select: ${row.title}`}
                onChange={(event) => onSelect(row.id, (event.nativeEvent as MouseEvent).shiftKey)}
              />
            </label>
            <div className="min-w-0 in-data-narrow:col-[2/4]">
              <RowLink
                to="/incidents/$id"
                id={row.id}
                title={row.reason}
                peek={list.peek}
                onPeek={onPeek}
                className="block truncate in-data-over:text-ink2 in-data-over:font-450 in-data-narrow:whitespace-normal in-data-narrow:line-clamp-2"
              >
                <LoopTitle item={row} />
              </RowLink>
              <span className="mt-px flex gap-3 min-w-0 text-sm text-ink3 [:where(&)>*]:flex-none">
                <DetectorLabel detector={row.detector} />
                {!narrow && <LoopSummary item={row} className="flex-[0_1_auto] truncate" />}
                {narrow && <Agent row={row} />}
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
  const { usd, usage } = costShort(row);
  return (
    <>
      <div className="flex gap-x-3 gap-y-1 min-w-0 text-sm text-ink3 whitespace-nowrap overflow-hidden [:where(&)>*]:flex-none">
        <span>
          {usd !== undefined && `${usd}, `}
          {usage}
        </span>
        <Ago time={row.detectedAt} />
      </div>
      <div>
        <StateLabel state={row.state} outcome={row.outcome} />
      </div>
    </>
  );
}

function Agent({ row: { agent, sessionId } }: { readonly row: IncidentItem }) {
  return (
    <code className="text-sm/[1.5] flex-[0_1_auto] font-mono font-450 text-ink2 truncate">
      {visibleText(agent ?? sessionId)}
    </code>
  );
}

function Footer({ more, onRetry }: Pick<Props, 'more'> & { readonly onRetry: () => void }) {
  if (more === 'reading') {
    return (
      <p className="px-4 py-3 text-center text-sm text-ink2 border-t" role="status">
        Loading more…
      </p>
    );
  }
  if (more !== 'failed') return null;
  return (
    <p className="px-4 py-3 text-center text-sm text-ink2 border-t" role="alert">
      Could not load more.{' '}
      <button className="underline" type="button" onClick={onRetry}>
        Retry
      </button>
    </p>
  );
}
