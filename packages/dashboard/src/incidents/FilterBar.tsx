import type { DetectorId, IncidentRow } from '@loopwatch/contract';
import { chipClass, DetectorSquare } from '../ui/Chip.tsx';
import { detectorIds } from '../ui/detectors.ts';
import { formatNumber } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import styles from './FilterBar.module.css';
import { type Filters, matchesFilters, type TextFilter, toggleDetector, without } from './url.ts';

interface Props {
  readonly rows: readonly IncidentRow[];
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const names: Record<TextFilter, string> = { agent: 'agent', model: 'model', sessionId: 'session' };

/** Chips that narrow the list; each says how many incidents it would leave. */
export function FilterBar({ rows, filters, onChange }: Props) {
  const ofOtherStates = rows.filter((row) => matchesFilters(row, without(filters, 'state')));
  const ofOtherDetectors = rows.filter((row) => matchesFilters(row, without(filters, 'detector')));
  const detectors = detectorIds.filter(
    (id) => filters.detector?.includes(id) === true || rows.some(({ detector }) => detector === id),
  );
  const count = (state: IncidentRow['state']) => ofOtherStates.filter((row) => row.state === state).length;
  const countDetector = (id: DetectorId) => ofOtherDetectors.filter(({ detector }) => detector === id).length;
  const withState = (state: IncidentRow['state']): Filters => ({ ...without(filters, 'state'), state });
  const texts = (Object.keys(names) as TextFilter[]).filter((name) => filters[name] !== undefined);
  return (
    <div className={styles['bar']} role="group" aria-label="Filters">
      <div className={styles['segments']} role="group" aria-label="State">
        <Segment
          pressed={filters.state === undefined}
          onPress={() => onChange(without(filters, 'state'))}
          text="All"
          count={ofOtherStates.length}
        />
        <Segment
          pressed={filters.state === 'open'}
          onPress={() => onChange(withState('open'))}
          text="Open"
          count={count('open')}
        />
        <Segment
          pressed={filters.state === 'resolved'}
          onPress={() => onChange(withState('resolved'))}
          text="Resolved"
          count={count('resolved')}
        />
      </div>
      {detectors.map((id) => (
        <button
          key={id}
          type="button"
          className={chipClass}
          aria-pressed={filters.detector?.includes(id) === true}
          onClick={() => onChange(toggleDetector(filters, id))}
        >
          <DetectorSquare detector={id} />
          {id}
          <small>{formatNumber(countDetector(id))}</small>
        </button>
      ))}
      {texts.map((name) => (
        <button
          key={name}
          type="button"
          className={chipClass}
          aria-pressed="true"
          aria-label={`${names[name]} ${filters[name] ?? ''}, remove this filter`}
          onClick={() => onChange(without(filters, name))}
        >
          <span>
            {names[name]}: {filters[name]}
          </span>
          <Icon name="close" size={12} />
        </button>
      ))}
      {Object.keys(filters).length > 0 && (
        <button type="button" className={styles['clear']} onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </div>
  );
}

interface SegmentProps {
  readonly pressed: boolean;
  readonly onPress: () => void;
  readonly text: string;
  readonly count: number;
}

function Segment({ pressed, onPress, text, count }: SegmentProps) {
  return (
    <button type="button" className={styles['segment']} aria-pressed={pressed} onClick={onPress}>
      {text} <small>{formatNumber(count)}</small>
    </button>
  );
}
