import type { IncidentItem } from '@loopwatch/contract/api';
import { useMyName } from '../api/me.ts';
import { SearchBox } from '../list/SearchBox.tsx';
import { useLive } from '../live/context.ts';
import { Button } from '../ui/controls/Button.tsx';
import { FilterChip } from '../ui/controls/Chip.tsx';
import { Menu, MenuCheck, MenuLabel, MenuLine } from '../ui/controls/Menu.tsx';
import { SortMenu } from '../ui/controls/SortMenu.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { FacetMenu } from './FacetMenu.tsx';
import { tagsOf } from './merge.ts';
import {
  filterNames,
  groupSortNames,
  type IncidentSearch,
  isFiltered,
  type ListFilter,
  listFilterNames,
  listFilters,
  sortNames,
  toggle,
  withValues,
} from './search.ts';
import { triageNames } from './triage.ts';

interface Props {
  readonly search: IncidentSearch;
  /** Loaded rows, for suggestions. */
  readonly rows: readonly IncidentItem[];
  readonly onChange: (part: Partial<IncidentSearch>) => void;
}

const facets = [
  ['detector', 'Detector'],
  ['agent', 'Agent'],
  ['model', 'Model'],
  ['tool', 'Tool'],
] as const;

const termFilters = { shown: filterNames, allowed: listFilters };

/** Search, filters and sort order, with the filters in effect as chips. */
export function FilterBar({ search, rows, onChange }: Props) {
  const { filter, grouped, sort } = search;
  const live = useLive((state) => state.incidents);
  const me = useMyName();
  const state = filter.state?.length === 1 ? filter.state[0] : undefined;
  const sorts = grouped ? groupSortNames : sortNames;
  return (
    <div className="toolbar min-w-0 " role="group" aria-label="Filters">
      <SearchBox
        what="incidents"
        placeholder="Search reasons, prompts, ids, or agent:name…"
        filters={termFilters}
        filter={filter}
        onChange={(next) => onChange({ filter: next })}
        // Includes the live rows, because the loaded ones are already narrowed by the typed text.
        values={(name) => seenValues([...live.values(), ...rows], name)}
      />
      <Segments
        label="State"
        value={state ?? 'all'}
        options={[
          { value: 'all', text: 'All' },
          { value: 'open', text: 'Open' },
          { value: 'quiet', text: 'Quiet' },
          { value: 'resolved', text: 'Resolved' },
        ]}
        onChange={(value) =>
          onChange({ filter: withValues(filter, 'state', value === 'all' ? [] : [value]) })
        }
      />
      {facets.map(([facet, name]) => (
        <FacetMenu key={facet} facet={facet} name={name} search={search} onChange={onChange} />
      ))}
      <Menu
        trigger={
          <Button>
            Triage
            <Icon name="down" size={12} />
          </Button>
        }
      >
        {listFilters.triage.map((status) => (
          <MenuCheck
            key={status}
            checked={filter.triage?.includes(status) ?? false}
            onChange={() => onChange({ filter: toggle(filter, 'triage', status) })}
          >
            {triageNames[status]}
          </MenuCheck>
        ))}
        <MenuLine />
        <MenuLabel>Assignee</MenuLabel>
        {me !== undefined && (
          <MenuCheck
            checked={filter.assignee?.includes(me) ?? false}
            onChange={() => onChange({ filter: toggle(filter, 'assignee', me) })}
          >
            me
          </MenuCheck>
        )}
        <MenuCheck
          checked={filter.assignee?.includes('') ?? false}
          onChange={() => onChange({ filter: toggle(filter, 'assignee', '') })}
        >
          unassigned
        </MenuCheck>
      </Menu>
      <span className="flex-1 max-sm:hidden" />
      <Button
        aria-pressed={grouped}
        tone={grouped ? 'accent' : undefined}
        onClick={() => onChange({ grouped: !grouped, sort: grouped ? '-detectedAt' : '-lastSeen' })}
        title="Group identical loops"
      >
        <Icon name="group" size={14} />
        <span className="@min-[700px]/page:@max-[1280px]/page:sr-only">Group by cause</span>
      </Button>
      <SortMenu names={sorts} sort={sort} onChange={(id) => onChange({ sort: id })} />
      {isFiltered(search) && <Chips search={search} onChange={onChange} />}
    </div>
  );
}

function Chips({ search: { filter }, onChange }: Pick<Props, 'search' | 'onChange'>) {
  const chips = listFilterNames.flatMap((name) =>
    (filter[name] ?? []).map((value) => ({
      key: `${name}:${value}`,
      name: filterNames[name],
      value: name === 'group' ? 'selected' : name === 'assignee' && value === '' ? 'unassigned' : value,
      remove: () => onChange({ filter: toggle(filter, name, value) }),
    })),
  );
  const { q, open, ...rest } = filter;
  return (
    <div className="toolbar gap-1.5 basis-full">
      {q !== undefined && (
        <FilterChip
          name="text"
          value={q}
          onRemove={() => onChange({ filter: { ...rest, ...(open !== undefined && { open }) } })}
        />
      )}
      {open !== undefined && (
        <FilterChip
          name="open"
          value={open ? 'needs attention' : 'no'}
          onRemove={() => onChange({ filter: { ...rest, ...(q !== undefined && { q }) } })}
        />
      )}
      {chips.map(({ key, name, value, remove }) => (
        <FilterChip key={key} name={name} value={value} onRemove={remove} />
      ))}
      <button
        type="button"
        className="px-2 py-0.5 rounded-sm text-sm text-ink2 underline decoration-line2 underline-offset-3 hover:text-ink"
        onClick={() => onChange({ filter: {}, range: { kind: 'all' } })}
      >
        Clear filters
      </button>
    </div>
  );
}

function seenValues(rows: readonly IncidentItem[], name: ListFilter): string[] {
  const values = new Set<string>();
  for (const row of rows) {
    if (name === 'tag') for (const tag of tagsOf(row)) values.add(tag);
    const value =
      name === 'tool'
        ? row.tool?.name
        : name === 'assignee'
          ? row.triage.assignee
          : name === 'group' || name === 'triage' || name === 'tag'
            ? undefined
            : row[name];
    if (value !== undefined && value !== null) values.add(value);
  }
  return [...values].sort();
}
