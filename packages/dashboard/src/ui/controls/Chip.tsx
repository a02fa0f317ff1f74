import type { DetectorId, IncidentRow } from '@loopwatch/contract';
import type { Triage, TriageStatus } from '@loopwatch/contract/api';
import { visibleText } from '../../lib/visible-text.ts';
import { Icon } from '../lib/icons.tsx';
import styles from './Chip.module.css';

export const chipClass = styles['chip'];

type StateData = Pick<IncidentRow, 'state' | 'outcome'>;

function stateName({ state, outcome }: StateData): 'open' | 'quiet' | 'recovered' | 'ended' | 'disabled' {
  return state === 'resolved' ? (outcome ?? 'ended') : state;
}

/** State of an incident as icon, word and colour. */
export function StateLabel(data: StateData) {
  const name = stateName(data);
  return (
    <span className={styles['state']} data-state={name}>
      {name === 'recovered' ? <Icon name="check" size={13} /> : <i className={styles['sign']} />}
      {name === 'disabled' ? 'switched off' : name}
    </span>
  );
}

export function StateChip(data: StateData) {
  return (
    <span className={styles['chip']} data-state={stateName(data)}>
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
      className={styles['chip']}
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
    <span className={styles['sample']} title="A recorded sample session, not one of your agents">
      sample
    </span>
  );
}

/** A detector's colour and name. */
export function DetectorLabel({ detector }: { readonly detector: DetectorId }) {
  return (
    <span className={styles['detector']} data-detector={detector}>
      <i className={styles['square']} />
      {detector}
    </span>
  );
}

export function DetectorSquare({ detector }: { readonly detector: DetectorId }) {
  return <i className={styles['square']} data-detector={detector} />;
}

const triageSigns = { acknowledged: 'check', muted: 'mute', false_positive: 'flag' } as const;
const triageTexts: Record<Exclude<TriageStatus, 'new'>, string> = {
  acknowledged: 'acknowledged',
  muted: 'muted',
  false_positive: 'false positive',
};

/** The triage of an incident; nothing if it is new. */
export function TriageLabel({ triage: { status, note } }: { readonly triage: Triage }) {
  if (status === 'new') return note === null ? null : <span className={styles['triage']}>noted</span>;
  return (
    <span className={styles['triage']} data-triage={status} title={note ?? undefined}>
      <Icon name={triageSigns[status]} size={12} />
      {triageTexts[status]}
    </span>
  );
}
