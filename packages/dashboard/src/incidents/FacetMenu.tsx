import type { DetectorId } from '@loopwatch/contract';
import type { Breakdown } from '@loopwatch/contract/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { facetQuery } from '../api/incidents.ts';
import { errorText } from '../lib/error-text.ts';
import { formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Menu, MenuCheck, MenuLabel } from '../ui/controls/Menu.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { type IncidentSearch, toggle, withValues } from './search.ts';

export type Facet = 'detector' | 'agent' | 'model' | 'tool';

interface Props {
  readonly facet: Facet;
  /** On the button. */
  readonly name: string;
  readonly search: Pick<IncidentSearch, 'filter' | 'range'>;
  readonly onChange: (part: Partial<IncidentSearch>) => void;
}

/** Filters by the values that the incidents have, each with the number of incidents that the other filters leave. */
export function FacetMenu({ name, ...props }: Props) {
  return (
    <Menu
      trigger={
        <Button>
          {name}
          <Icon name="down" size={12} />
        </Button>
      }
    >
      <Values {...props} />
    </Menu>
  );
}

/** Asks for the counts each time the menu opens. */
function Values({ facet, search: { filter, range }, onChange }: Omit<Props, 'name'>) {
  const { data, error } = useQuery({
    // A menu shows what choosing a value leads to, so its own filter does not count.
    ...facetQuery(facet, withValues(filter, facet, []), range),
    placeholderData: keepPreviousData,
  });
  const chosen: readonly string[] = filter[facet] ?? [];
  if (error !== null) return <MenuLabel>Could not count: {errorText(error)}</MenuLabel>;
  if (data === undefined) return <MenuLabel>Counting…</MenuLabel>;
  const values = countsOf(data, chosen);
  return (
    <>
      <MenuLabel>{values.length === 0 ? 'No incidents to filter' : 'Incidents'}</MenuLabel>
      {values.map(([value, count]) => (
        <MenuCheck
          key={value}
          checked={chosen.includes(value)}
          onChange={() => onChange({ filter: toggle(filter, facet, value) })}
        >
          <span className="flex items-center gap-2">
            {facet === 'detector' && <DetectorSquare detector={value as DetectorId} />}
            <span className="truncate" title={visibleText(value)}>
              {visibleText(value)}
            </span>
            <small className="ml-auto pl-3 text-xs text-ink3 tabular-nums">{formatNumber(count)}</small>
          </span>
        </MenuCheck>
      ))}
      {data.other !== null && <MenuLabel>{formatNumber(data.other.values)} more, by search</MenuLabel>}
    </>
  );
}

/** Most frequent first; chosen values without incidents last. */
function countsOf({ groups }: Breakdown, chosen: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map(chosen.map((value) => [value, 0]));
  for (const { value, incidents } of groups)
    if (value !== null && incidents > 0) counts.set(value, incidents);
  return [...counts].sort(([, a], [, b]) => b - a);
}
