import { AUDIT_DAYS, type AuditAction, auditActions } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type AuditView, auditQuery } from '../api/audit.ts';
import { formatTotal } from '../lib/format.ts';
import { omit } from '../lib/omit.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { FilterChip } from '../ui/controls/Chip.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { AuditList } from './AuditList.tsx';
import { actionNames, readAudit, writeAudit } from './search.ts';

/** Who changed what and when. */
export function AuditPage() {
  const { ignored, ...view } = readAudit(useSearch({ strict: false }));
  const navigate = useNavigate();
  const show = (next: AuditView) => void navigate({ to: '/settings/audit', search: writeAudit(next) });
  const query = useInfiniteQuery(auditQuery(view));
  const first = query.data?.pages[0];
  return (
    <Page title="Audit log" note={`who changed what, for ${String(AUDIT_DAYS)} days`}>
      <UnknownParams parts={ignored} />
      <Filters view={view} onChange={show} />
      <Async query={query} what="the audit log" skeleton={<Skeleton height={420} what="the audit log" />}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          if (entries.length === 0) return <Nothing view={view} onClear={show} />;
          return (
            <>
              <AuditList
                entries={entries}
                total={formatTotal({
                  total: first?.total ?? entries.length,
                  isLowerBound: first?.totalIsLowerBound === true,
                })}
                onFilter={(filter) => show({ ...view, filter: { ...view.filter, ...filter } })}
              />
              {query.hasNextPage && (
                <div>
                  <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {query.isFetchingNextPage ? 'Loading…' : 'Load more'}
                  </Button>
                </div>
              )}
              {query.isFetchNextPageError && (
                <p role="alert" className="text-hot">
                  Could not load more. Try again.
                </p>
              )}
            </>
          );
        }}
      </Async>
    </Page>
  );
}

interface FiltersProps {
  readonly view: AuditView;
  readonly onChange: (view: AuditView) => void;
}

function Filters({ view, onChange }: FiltersProps) {
  const { filter, range } = view;
  const { action, ...others } = filter;
  const [only] = action ?? [];
  return (
    <div className="toolbar">
      <label className="flex items-center gap-2 text-sm text-ink2">
        Action
        <select
          className="field max-w-60"
          value={only ?? ''}
          onChange={({ target: { value } }) =>
            onChange({
              range,
              filter: { ...others, ...(value !== '' && { action: [value as AuditAction] }) },
            })
          }
        >
          <option value="">All</option>
          {auditActions.map((one) => (
            <option key={one} value={one}>
              {actionNames[one]}
            </option>
          ))}
        </select>
      </label>
      <TimeRangePicker range={range} all onChange={(next) => onChange({ filter, range: next })} />
      {(['actor', 'subject'] as const).flatMap((name) =>
        (filter[name] ?? []).map((value) => (
          <FilterChip
            key={`${name} ${value}`}
            name={name === 'actor' ? 'who' : 'target'}
            value={value}
            onRemove={() => {
              const rest = (filter[name] ?? []).filter((one) => one !== value);
              onChange({
                range,
                filter: { ...omit(filter, name), ...(rest.length > 0 && { [name]: rest }) },
              });
            }}
          />
        )),
      )}
    </div>
  );
}

function Nothing({ view, onClear }: { view: AuditView; onClear: (view: AuditView) => void }) {
  const isFiltered = Object.keys(view.filter).length > 0 || view.range.kind !== 'all';
  return (
    <EmptyState>
      {isFiltered ? (
        <Message
          title="No results"
          action={
            <Button onClick={() => onClear({ filter: {}, range: { kind: 'all' } })}>Clear filters</Button>
          }
        />
      ) : (
        <Message title="No changes yet">
          Changes of settings, receivers and tokens, stops and erasures are listed here.
        </Message>
      )}
    </EmptyState>
  );
}
