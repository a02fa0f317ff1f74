import type { IncidentGroup } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentGroupsQuery } from '../api/incidents.ts';
import { errorText } from '../lib/error-text.ts';
import { formatCompact, formatReason, formatUsd, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useLive } from '../live/context.ts';
import { Button } from '../ui/controls/Button.tsx';
import { DetectorLabel } from '../ui/controls/Chip.tsx';
import rowLink from '../ui/controls/RowLink.module.css';
import { Message } from '../ui/feedback/Message.tsx';
import { ListSkeleton } from '../ui/feedback/Skeleton.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import styles from './GroupList.module.css';
import { GroupTriage } from './GroupTriage.tsx';
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
          title="No answer from the server"
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
        <p className={styles['more']}>
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
    <li className={styles['group']} data-detector={group.detector}>
      <b className={styles['times']}>
        {formatCompact(group.occurrences)}
        <small>×</small>
      </b>
      <div className={styles['why']}>
        <Link
          className={rowLink['link']}
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
          {formatReason(group.reason)}
        </Link>
        <p>
          <DetectorLabel detector={group.detector} />
          <span>{visibleText([group.agent, group.model].filter((part) => part !== null).join(' · '))}</span>
          {judged.length > 0 && <span>{judged.join(', ')}</span>}
        </p>
      </div>
      <div className={styles['cell']}>
        {plural(group.sessions, 'session')}
        <small data-hot={group.open > 0 || undefined}>{group.open} open</small>
      </div>
      <div className={styles['cell']}>
        {groupCost(cost)}
        <small>{cost.tokens === null ? plural(cost.turns, 'turn') : plural(cost.calls, 'call')}</small>
      </div>
      <div className={styles['cell']}>
        <Ago time={group.lastSeen} />
        <small>
          first <Ago time={group.firstSeen} />
        </small>
      </div>
      <div className={styles['triage']}>
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
