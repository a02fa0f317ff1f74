import type { DetectorId, IncidentRow } from '@loopwatch/contract';
import type { Triage, TriageStatus } from '@loopwatch/contract/api';
import { visibleText } from '../../lib/visible-text.ts';
import { Icon } from '../lib/icons.tsx';

export const chipClass =
  'px-2.5 py-px border inline-flex items-center gap-1.5 min-h-6 rounded-full bg-panel text-ink2 text-sm font-500 whitespace-nowrap max-w-full not-[span]:hover:border-line2 not-[span]:hover:text-ink data-mono:text-sm/[1.6] data-mono:font-mono data-mono:font-450 data-[state=open]:border-hot/55 data-[state=recovered]:border-ok/50 aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent [&_small]:text-xs [&_small]:font-550 [&_small]:text-ink3 aria-pressed:[&_small]:text-inherit [&>span]:overflow-hidden [&>span]:text-ellipsis';

type StateData = Pick<IncidentRow, 'state' | 'outcome'>;

function stateName({ state, outcome }: StateData): 'open' | 'quiet' | 'recovered' | 'ended' | 'disabled' {
  return state === 'resolved' ? (outcome ?? 'ended') : state;
}

/** State of an incident as icon, word and color. */
export function StateLabel(data: StateData) {
  const name = stateName(data);
  return (
    <span
      className="group/state inline-flex items-center gap-1.5 text-sm whitespace-nowrap font-550 data-[state=open]:text-hot data-[state=recovered]:text-ok data-[state=quiet]:text-ink2 data-[state=ended]:text-ink2 data-[state=disabled]:text-ink2"
      data-state={name}
    >
      {name === 'recovered' ? (
        <Icon name="check" size={13} />
      ) : (
        <i className="size-2 rounded-full flex-none group-data-[state=open]/state:bg-current group-data-[state=quiet]/state:border-[1.6px] group-data-[state=quiet]/state:border-dotted group-data-[state=quiet]/state:border-current group-data-[state=ended]/state:border-[1.6px] group-data-[state=ended]/state:border-current group-data-[state=disabled]/state:border-[1.6px] group-data-[state=disabled]/state:border-current" />
      )}
      {name === 'disabled' ? 'disabled' : name}
    </span>
  );
}

export function StateChip(data: StateData) {
  return (
    <span className={chipClass} data-state={stateName(data)}>
      <StateLabel {...data} />
    </span>
  );
}

interface FilterChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** A filter in effect; a click removes it. */
export function FilterChip({ name, value, onRemove }: FilterChipProps) {
  return (
    <button
      type="button"
      className={chipClass}
      aria-pressed="true"
      aria-label={`Remove filter: ${name} ${value}`}
      onClick={onRemove}
    >
      <span>
        {name}: {visibleText(value)}
      </span>
      <Icon name="close" size={12} />
    </button>
  );
}

/** Marks a recorded session that the server plays. */
export function SampleChip() {
  return (
    <span
      className="px-1.25 mr-1.5 border border-line2 rounded-sm text-ink2"
      title="A recorded sample session, not one of your agents"
    >
      sample
    </span>
  );
}

/** A detector's color, pattern and name. */
export function DetectorLabel({ detector }: { readonly detector: DetectorId }) {
  return (
    <span
      className="inline-flex items-center gap-1.5 text-ink2 text-sm whitespace-nowrap"
      data-detector={detector}
    >
      <i className="size-2.5 rounded-[2px] flex-none bg-detector" />
      {detector}
    </span>
  );
}

export function DetectorSquare({ detector }: { readonly detector: DetectorId }) {
  return <i className="size-2.5 rounded-[2px] flex-none bg-detector" data-detector={detector} />;
}

const triageSigns = { acknowledged: 'check', muted: 'mute', false_positive: 'flag' } as const;
const triageTexts: Record<Exclude<TriageStatus, 'new'>, string> = {
  acknowledged: 'acknowledged',
  muted: 'muted',
  false_positive: 'false positive',
};

const triageClass =
  'inline-flex items-center gap-1.25 text-sm text-ink3 whitespace-nowrap data-[triage=acknowledged]:text-warm';

/** The triage of an incident; nothing if it is new. */
export function TriageLabel({ triage: { status, note } }: { readonly triage: Triage }) {
  if (status === 'new') return note === null ? null : <span className={triageClass}>noted</span>;
  return (
    <span className={triageClass} data-triage={status} title={note ?? undefined}>
      <Icon name={triageSigns[status]} size={12} />
      {triageTexts[status]}
    </span>
  );
}
