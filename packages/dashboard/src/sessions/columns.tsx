import { detectorIds } from '@loopwatch/contract';
import type { SessionItem } from '@loopwatch/contract/api';
import { formatCompact, formatDuration, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { Column, Columns } from '../list/column.ts';
import { Sparkline } from '../ui/charts/Sparkline.tsx';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { activityOf } from './activity.ts';
import { SessionState } from './SessionState.tsx';
import { unresolvedText } from './unresolved.ts';

/** Number of parts of the activity sparkline. */
const PARTS = 12;
/** With fewer samples the sparkline would be mostly interpolated. */
const MIN_SAMPLES = 4;

const all: readonly Column<SessionItem>[] = [
  {
    id: 'model',
    name: 'Model',
    width: 'minmax(96px, 180px)',
    cell: ({ model, backend }) => (
      <>
        <span>{visibleText(model ?? 'unknown model')}</span>
        <small>{visibleText(backend ?? '')}</small>
      </>
    ),
  },
  {
    id: 'loops',
    name: 'Incidents',
    width: '112px',
    sort: 'incidents',
    cell: ({ incidents }) => <IncidentCount incidents={incidents} />,
  },
  {
    id: 'activity',
    name: 'Activity',
    width: '96px',
    cell: (row) =>
      (row.progress?.length ?? 0) >= 2 * MIN_SAMPLES && (
        <span className="block w-full [&_svg]:h-5.5">
          <Sparkline
            values={activityOf(row, PARTS)}
            text={`activity over ${formatDuration(lengthOf(row))}`}
          />
        </span>
      ),
  },
  {
    id: 'calls',
    name: 'Turns, calls',
    width: '84px',
    right: true,
    sort: 'toolCalls',
    cell: ({ turns, toolCalls }) => (
      <>
        <span>{plural(turns, 'turn')}</span>
        <small>{plural(toolCalls, 'call')}</small>
      </>
    ),
  },
  {
    id: 'tokens',
    name: 'Tokens, cost',
    width: '92px',
    right: true,
    sort: 'tokens',
    cell: ({ tokens, usd }) => (
      <>
        <span>{tokens === null ? '–' : formatCompact(tokens.input + tokens.output)}</span>
        <small>{usd == null ? tokens !== null && 'no price' : formatUsd(usd)}</small>
      </>
    ),
  },
  {
    id: 'characters',
    name: 'Characters',
    width: '84px',
    right: true,
    sort: 'characters',
    cell: ({ characters }) => formatCompact(characters),
  },
  {
    id: 'started',
    name: 'Started',
    width: '92px',
    right: true,
    sort: 'startedAt',
    cell: ({ startedAt }) => <Ago time={startedAt} />,
  },
  {
    id: 'last',
    name: 'Last event',
    width: '92px',
    right: true,
    sort: 'lastEventAt',
    cell: (row) => (
      <>
        <Ago time={row.lastEventAt} />
        <small>{lengthOf(row) > 0 && `lasted ${formatDuration(lengthOf(row))}`}</small>
      </>
    ),
  },
  {
    id: 'tenant',
    name: 'Tenant',
    width: 'minmax(70px, 110px)',
    cell: ({ tenant }) => (tenant === null ? <small>none</small> : visibleText(tenant)),
  },
  { id: 'state', name: 'State', width: '66px', cell: (session) => <SessionState session={session} /> },
];

export const columns: Columns<SessionItem> = {
  all,
  // Without `activity`, since few sessions have enough samples for it.
  standard: ['model', 'loops', 'calls', 'tokens', 'last', 'state'],
};

function lengthOf({ startedAt, lastEventAt }: SessionItem): number {
  return Math.max(0, lastEventAt - startedAt);
}

/** Number of incidents, limits and outages included, with a square for each detector. */
export function IncidentCount({ incidents }: Pick<SessionItem, 'incidents'>) {
  if (incidents.total === 0) return <span>none</span>;
  return (
    <>
      <span className="flex items-center gap-1.25 [&_i]:inline-grid [&_i]:relative [&_i]:z-1">
        {plural(incidents.total, 'incident')}
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
      <small className="data-open:text-hot" data-open={incidents.open > 0 || undefined}>
        {unresolvedText(incidents)}
      </small>
    </>
  );
}
