import type { IncidentGroup } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentGroupsQuery } from '../api/incidents.ts';
import { errorText } from '../lib/error-text.ts';
import { formatCompact, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { rowLinkClass } from '../list/RowLink.tsx';
import { useLive } from '../live/context.ts';
import { Button } from '../ui/controls/Button.tsx';
import { DetectorLabel } from '../ui/controls/Chip.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { ListSkeleton } from '../ui/feedback/Skeleton.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { GroupTriage } from './GroupTriage.tsx';
import { LoopSummary } from './LoopSummary.tsx';
import type { View } from './merge.ts';
import { MuteList } from './mutes/MuteList.tsx';
import { writeIncidentSearch } from './search.ts';

/** Identical loops grouped by cause, with count, times and total cost. */
export function GroupList({ view }: { readonly view: View; readonly onSort: (sort: string) => void }) {
  const query = useInfiniteQuery({ ...incidentGroupsQuery(view), refetchInterval: 15_000 });
  const found = useLive(({ stats }) => stats?.found);
  const groups = query.data?.pages.flatMap(({ items }) => items);
  if (groups === undefined) {
    if (query.error === null) return <ListSkeleton what="the causes" />;
    return (
      <div className="surface">
        <Message
          title="Could not load the incidents"
          tone="hot"
          action={<Button onClick={() => void query.refetch()}>Retry</Button>}
        >
          <p>{errorText(query.error)}</p>
        </Message>
      </div>
    );
  }
  if (groups.length === 0) {
    return (
      <div className="surface">
        <Message title="No matching causes">
          <p>{found === 0 ? 'No loops detected yet.' : 'No incidents match these filters.'}</p>
        </Message>
      </div>
    );
  }
  return (
    <>
      <MuteList />
      <ol className="surface" aria-label="Causes">
        {groups.map((group) => (
          <Group key={group.key} group={group} view={view} />
        ))}
      </ol>
      {query.hasNextPage && (
        <p className="text-center">
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            {query.isFetchingNextPage ? 'Loading…' : 'Load more'}
          </Button>
        </p>
      )}
    </>
  );
}

function Group({ group, view }: { readonly group: IncidentGroup; readonly view: View }) {
  const { cost, triage } = group;
  const judged = [
    triage.acknowledged > 0 && `${String(triage.acknowledged)} acknowledged`,
    triage.false_positive > 0 && plural(triage.false_positive, 'false positive'),
    triage.muted > 0 && `${String(triage.muted)} muted`,
  ].filter((text) => text !== false);
  return (
    <li
      className="px-4 py-1.75 relative grid grid-cols-[52px_minmax(0,1fr)_90px_110px_110px_auto] items-center gap-4 min-h-14.25 border-b @max-[720px]/page:grid-cols-[44px_repeat(4,auto)] @max-[720px]/page:justify-between @max-[720px]/page:gap-x-3 @max-[720px]/page:gap-y-1 last:border-b-0 hover:bg-raise/55"
      data-detector={group.detector}
    >
      <b className="text-lg font-640 text-right @max-[720px]/page:row-[1/3] @max-[720px]/page:self-start">
        {formatCompact(group.occurrences)}
        <small className="ml-0.5 font-450 text-ink3">×</small>
      </b>
      <div className="min-w-0 @max-[720px]/page:col-[2/-1]">
        <Link
          className={`${rowLinkClass} block truncate @max-[720px]/page:whitespace-normal @max-[720px]/page:wrap-anywhere`}
          title={group.reason}
          to="/incidents"
          search={{
            ...writeIncidentSearch({
              ...view,
              filter: { ...view.filter, group: [group.key] },
              sort: '-detectedAt',
              grouped: false,
              peek: undefined,
            }),
          }}
          activeProps={{}}
        >
          {visibleText(group.title)}
        </Link>
        <p className="flex gap-3 overflow-hidden whitespace-nowrap text-sm text-ink3 @max-[720px]/page:flex-wrap @max-[720px]/page:gap-x-3 @max-[720px]/page:gap-y-0">
          <DetectorLabel detector={group.detector} />
          <span className="truncate">
            {visibleText([group.agent, group.model].filter((part) => part !== null).join(' · '))}
          </span>
          {judged.length > 0 && <span>{judged.join(', ')}</span>}
          <LoopSummary item={group} className="min-w-0 truncate" />
        </p>
      </div>
      <div className="grid justify-items-end text-ink2 whitespace-nowrap @max-[720px]/page:justify-items-start @max-[720px]/page:text-sm">
        {plural(group.sessions, 'session')}
        <small
          className="text-sm text-ink3 @max-[720px]/page:hidden data-hot:text-hot"
          data-hot={group.open > 0 || undefined}
        >
          {group.open} open
        </small>
      </div>
      <div className="grid justify-items-end text-ink2 whitespace-nowrap @max-[720px]/page:justify-items-start @max-[720px]/page:text-sm">
        {groupCost(cost)}
        <small className="text-sm text-ink3 @max-[720px]/page:hidden data-hot:text-hot">
          {cost.tokens === null ? plural(cost.turns, 'turn') : plural(cost.calls, 'call')}
        </small>
      </div>
      <div className="grid justify-items-end text-ink2 whitespace-nowrap @max-[720px]/page:justify-items-start @max-[720px]/page:text-sm">
        <Ago time={group.lastSeen} />
        <small className="text-sm text-ink3 @max-[720px]/page:hidden data-hot:text-hot">
          first <Ago time={group.firstSeen} />
        </small>
      </div>
      <div className="relative z-1">
        <GroupTriage group={group} />
      </div>
    </li>
  );
}

/** Dollars if known, else tokens, else calls. */
function groupCost({ usd, tokens, calls }: IncidentGroup['cost']): string {
  if (usd != null) return formatUsd(usd);
  return tokens === null ? plural(calls, 'call') : `${formatCompact(tokens)} tokens`;
}
