import type { IncidentItem } from '@loopwatch/contract/api';
import type { ReactNode } from 'react';
import { costShort } from '../incident/cost.ts';
import { SampleChip, StateLabel, TriageLabel } from '../ui/Chip.tsx';
import { formatDuration, formatNumber } from '../ui/format.ts';
import { Ago } from '../ui/Time.tsx';

/** A column of the list: what it is called, how wide it may be, and what it shows. */
export interface Column {
  readonly id: string;
  readonly name: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
  /** What the list is sorted by when its heading is pressed, downwards. */
  readonly sort?: string;
  readonly cell: (item: IncidentItem) => ReactNode;
}

export const columns: readonly Column[] = [
  {
    id: 'agent',
    name: 'Agent',
    width: 'minmax(96px, 150px)',
    cell: ({ agent, sessionId, model, sample }) => (
      <>
        <code>{agent ?? sessionId}</code>
        <small>
          {sample === true && <SampleChip />}
          {model ?? 'model not given'}
        </small>
      </>
    ),
  },
  {
    id: 'session',
    name: 'Session',
    width: 'minmax(90px, 150px)',
    cell: ({ sessionId, promptId }) => (
      <>
        <code>{sessionId}</code>
        <small>{promptId}</small>
      </>
    ),
  },
  {
    id: 'tool',
    name: 'Tool',
    width: 'minmax(80px, 130px)',
    cell: ({ tool }) => (tool === null ? <small>none</small> : <code>{tool.name}</code>),
  },
  {
    id: 'found',
    name: 'Found',
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
    name: 'Used',
    width: '82px',
    right: true,
    sort: 'tokens',
    cell: (item) => {
      const { value, unit } = costShort(item);
      return (
        <>
          {value}
          <small>{unit}</small>
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
    cell: ({ tenant }) => tenant ?? <small>not given</small>,
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

export const standardColumns: readonly string[] = ['agent', 'found', 'used', 'state'];

/** The chosen ones in their order; names that are not known any more are left out. */
export function chosenColumns(chosen: readonly string[] | null): readonly Column[] {
  return (chosen ?? standardColumns).flatMap((id) => columns.find((column) => column.id === id) ?? []);
}
