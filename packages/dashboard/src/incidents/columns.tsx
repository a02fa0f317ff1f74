import type { IncidentItem } from '@loopwatch/contract/api';
import { costShort } from '../incident/cost.ts';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { Column, Columns } from '../list/column.ts';
import { SampleChip, StateLabel, TriageLabel } from '../ui/controls/Chip.tsx';
import { Ago } from '../ui/layout/Time.tsx';

const all: readonly Column<IncidentItem>[] = [
  {
    id: 'agent',
    name: 'Agent',
    width: 'minmax(96px, 150px)',
    cell: ({ agent, sessionId, model, sample }) => (
      <>
        {agent === null ? (
          <code>{visibleText(sessionId)}</code>
        ) : (
          <span className="text-ink">{visibleText(agent)}</span>
        )}
        <small>
          {sample === true && <SampleChip />}
          {visibleText(model ?? 'unknown model')}
        </small>
      </>
    ),
  },
  {
    id: 'session',
    name: 'Session',
    width: 'minmax(110px, 220px)',
    cell: ({ sessionId, sessionTitle }) => (
      <>
        {sessionTitle !== undefined && (
          <span dir="auto" title={sessionTitle}>
            {visibleText(sessionTitle)}
          </span>
        )}
        <small className="font-mono">{visibleText(sessionId)}</small>
      </>
    ),
  },
  {
    id: 'tool',
    name: 'Tool',
    width: 'minmax(80px, 130px)',
    cell: ({ tool }) => (tool === null ? <small>none</small> : <code>{visibleText(tool.name)}</code>),
  },
  {
    id: 'found',
    name: 'Detected',
    width: '92px',
    right: true,
    sort: 'detectedAt',
    cell: ({ detectedAt, state, cost }) => (
      <>
        <Ago time={detectedAt} />
        <small>
          {state === 'resolved' ? 'lasted' : 'for'} {formatDuration(Math.max(0, cost.ms))}
        </small>
      </>
    ),
  },
  {
    id: 'count',
    name: 'Count',
    width: '74px',
    right: true,
    sort: 'count',
    cell: ({ count, threshold }) => (
      <>
        {formatNumber(count)}
        <small>of {formatNumber(threshold)}</small>
      </>
    ),
  },
  {
    id: 'used',
    name: 'Cost',
    width: '82px',
    right: true,
    sort: 'tokens',
    cell: (item) => {
      const { usd = '–', usage } = costShort(item);
      return (
        <>
          {usd}
          <small>{usage}</small>
        </>
      );
    },
  },
  {
    id: 'confidence',
    name: 'Confidence',
    width: '84px',
    right: true,
    sort: 'confidence',
    cell: ({ confidence }) => confidence.toFixed(2),
  },
  {
    id: 'tenant',
    name: 'Tenant',
    width: 'minmax(70px, 110px)',
    cell: ({ tenant }) => (tenant === null ? <small>none</small> : visibleText(tenant)),
  },
  {
    id: 'assignee',
    name: 'Assignee',
    width: 'minmax(70px, 110px)',
    cell: ({ triage: { assignee } }) =>
      assignee === null ? <small>unassigned</small> : visibleText(assignee),
  },
  {
    id: 'state',
    name: 'State',
    width: '118px',
    cell: ({ state, outcome, triage }) => (
      <>
        <StateLabel state={state} outcome={outcome} />
        <TriageLabel triage={triage} />
      </>
    ),
  },
];

export const columns: Columns<IncidentItem> = { all, standard: ['agent', 'found', 'used', 'state'] };
