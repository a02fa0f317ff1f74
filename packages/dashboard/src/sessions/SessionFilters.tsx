import type { SessionItem } from '@loopwatch/contract/api';
import { omit } from '../lib/omit.ts';
import { SearchBox } from '../list/SearchBox.tsx';
import { useLive } from '../live/context.ts';
import { FilterChip } from '../ui/controls/Chip.tsx';
import { SortMenu } from '../ui/controls/SortMenu.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { filterNames, type SessionSearch, sessionSortNames, type TextFilter, textFilters } from './search.ts';
import { ToolMenu } from './ToolMenu.tsx';

interface Props {
  readonly search: SessionSearch;
  /** Loaded rows, for suggestions. */
  readonly rows: readonly SessionItem[];
  readonly onChange: (part: Partial<SessionSearch>) => void;
}

const termFilters = { shown: filterNames, allowed: {} };

/** Search, filters and sort order of the sessions. */
export function SessionFilters({ search, rows, onChange }: Props) {
  const { filter, sort } = search;
  const live = useLive((state) => state.sessions);
  return (
    <div className="toolbar min-w-0 " role="group" aria-label="Filters">
      <SearchBox
        what="sessions"
        placeholder="Search prompts, projects, ids, or agent:name…"
        filters={termFilters}
        filter={filter}
        onChange={(next) => onChange({ filter: next })}
        values={(name) => seenValues([...live.values(), ...rows], name)}
      />
      <Segments
        label="Incidents"
        value={filter.incidents ?? 'all'}
        options={[
          { value: 'all', text: 'All' },
          { value: 'open', text: 'Open incidents' },
          { value: 'any', text: 'With incidents' },
          { value: 'none', text: 'No incidents' },
        ]}
        onChange={(value) => {
          const rest = omit(filter, 'incidents');
          onChange({ filter: value === 'all' ? rest : { ...rest, incidents: value } });
        }}
      />
      <Segments
        label="State"
        value={filter.state?.[0] ?? 'all'}
        options={[
          { value: 'all', text: 'Any state' },
          { value: 'live', text: 'Live' },
          { value: 'quiet', text: 'Quiet' },
          { value: 'idle', text: 'Idle' },
          { value: 'ended', text: 'Ended' },
        ]}
        onChange={(value) => {
          const rest = omit(filter, 'state');
          onChange({ filter: value === 'all' ? rest : { ...rest, state: [value] } });
        }}
      />
      <ToolMenu
        chosen={filter.tool ?? []}
        onChange={(tool) => onChange({ filter: withValues(filter, 'tool', tool) })}
      />
      <span className="flex-1 max-sm:hidden" />
      <SortMenu names={sessionSortNames} sort={sort} onChange={(id) => onChange({ sort: id })} />
      <TextChips search={search} onChange={onChange} />
    </div>
  );
}

function withValues(
  filter: SessionSearch['filter'],
  name: TextFilter,
  values: readonly string[],
): SessionSearch['filter'] {
  const others = omit(filter, name);
  return values.length === 0 ? others : { ...others, [name]: [...values] };
}

/** Other filters of the URL, as removable chips. */
function TextChips({ search, onChange }: Omit<Props, 'rows'>) {
  const { filter } = search;
  const chips = textFilters.flatMap((name) => (filter[name] ?? []).map((value) => ({ name, value })));
  if (chips.length === 0) return null;
  return (
    <div className="toolbar gap-1.5 basis-full">
      {chips.map(({ name, value }) => (
        <FilterChip
          key={name + value}
          name={filterNames[name]}
          value={value}
          onRemove={() => {
            const rest = filter[name]?.filter((other) => other !== value) ?? [];
            onChange({ filter: withValues(filter, name, rest) });
          }}
        />
      ))}
    </div>
  );
}

function seenValues(rows: readonly SessionItem[], name: TextFilter): string[] {
  const values = rows.flatMap((row) => {
    if (name === 'tag') return Object.entries(row.tags ?? {}).map(([key, value]) => `${key}:${value}`);
    if (name === 'parent') return row.parentSessionId ?? [];
    // Session summaries contain no tools; the tool menu lists those of loops.
    return name === 'tool' ? [] : (row[name] ?? []);
  });
  return [...new Set(values)].sort();
}
