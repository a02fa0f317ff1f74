import type { IncidentDetail, IncidentItem } from '@loopwatch/contract/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/client.ts';
import { incidentQuery } from '../api/incidents.ts';
import { isNewer, itemAt } from '../incidents/merge.ts';
import { useCoarseNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { PeekBar } from '../list/PeekBar.tsx';
import { useLive } from '../live/context.ts';
import { showInTab } from '../page/favicon.ts';
import { eventSearch } from '../session/loop-link.ts';
import { Button } from '../ui/controls/Button.tsx';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { DetailsCard } from './DetailsCard.tsx';
import { Evidence } from './evidence/index.tsx';
import { GuidanceCard } from './GuidanceCard.tsx';
import { IncidentHead } from './IncidentHead.tsx';
import { LifecycleCard } from './LifecycleCard.tsx';
import { LoopMessages } from './LoopMessages.tsx';
import { ReasonCard } from './ReasonCard.tsx';
import { Related } from './Related.tsx';
import { SessionTimeline, useAround } from './SessionTimeline.tsx';
import { Remedies } from './triage/Remedies.tsx';
import { TriageCard } from './triage/TriageCard.tsx';

interface Props {
  readonly id: string;
  /** The list row, if it is already loaded. */
  readonly row: IncidentItem | undefined;
  /** Closes the panel; absent on the incident page. */
  readonly onClose?: () => void;
  /** Whether it replaces the list instead of opening beside it. */
  readonly alone?: boolean;
}

/** One incident: what repeats, why it counts as a loop, the evidence, and what to do. */
export function IncidentView({ id, row, onClose, alone = onClose === undefined }: Props) {
  const query = useQuery(incidentQuery(id));
  const client = useQueryClient();
  const live = useLive((state) => state.incidents.get(id));
  const { data } = query;
  const missing = query.error instanceof ApiError && query.error.status === 404;

  // The live stream sends rows only; evidence and history are refetched when the loop goes on.
  const revision = live?.revision ?? 0;
  const known = data?.revision ?? Infinity;
  const hasGrown = live !== undefined && data !== undefined && live.lastAt > data.lastAt;
  const triageRevision = live?.triage.revision ?? 0;
  const knownTriage = data?.triage.revision ?? Infinity;
  useEffect(() => {
    if (revision > known || hasGrown || triageRevision > knownTriage)
      void client.invalidateQueries({ queryKey: incidentQuery(id).queryKey });
  }, [client, id, revision, known, hasGrown, live?.lastAt, triageRevision, knownTriage]);

  const open = useLive(({ stats }) => stats?.open ?? 0);
  useEffect(() => {
    if (missing && alone) showInTab('Incident not found', open);
  }, [missing, alone, open]);

  const now = useCoarseNow();
  const latest = newest(live ?? row, data);
  const shown = latest && itemAt(latest, now);
  return (
    <article
      className="px-6 pt-3 pb-16 @container grid grid-cols-1 content-start gap-4 min-w-0 max-sm:px-3 max-sm:pt-2 max-sm:pb-6 max-sm:gap-3"
      aria-label="Incident"
    >
      {onClose !== undefined && <PeekBar to="/incidents/$id" params={{ id }} onClose={onClose} />}
      {shown !== undefined && !missing && <IncidentHead item={shown} detail={data} page={alone} />}
      {query.isError && data === undefined ? (
        missing ? (
          <Message
            level={shown === undefined && alone ? 1 : 2}
            title="Incident not found"
            action={<Link to="/incidents">Back to incidents</Link>}
          >
            It may have expired under the retention settings, or the link is incomplete.
          </Message>
        ) : (
          <Message
            level={shown === undefined && alone ? 1 : 2}
            title="Could not load the incident"
            tone="hot"
            action={<Button onClick={() => void query.refetch()}>Retry</Button>}
          >
            {errorText(query.error)}
          </Message>
        )
      ) : data === undefined ? (
        <div className="grid gap-4">
          {shown === undefined && alone && <h1 className="sr-only">Incident</h1>}
          <Skeleton height={96} what="the incident" />
          <Skeleton height={260} what="the evidence" />
        </div>
      ) : (
        <Body incident={{ ...data, ...(shown ?? {}) }} />
      )}
    </article>
  );
}

/** The newer of the live row and the loaded incident. */
function newest(
  live: IncidentItem | undefined,
  data: IncidentDetail | undefined,
): IncidentItem | IncidentDetail | undefined {
  if (live === undefined || data === undefined) return live ?? data;
  return isNewer(live, data) ? live : data;
}

function Body({ incident }: { readonly incident: IncidentDetail }) {
  const navigate = useNavigate();
  const around = useAround(incident);
  const onOpen = (at: number) =>
    void navigate({
      to: '/sessions/$id',
      params: { id: incident.sessionId },
      search: eventSearch(incident, at),
    });
  // For repeated text the messages are the evidence already.
  const showsMessages = incident.detector !== 'content-repeat' && incident.detector !== 'thought-repeat';
  return (
    <div className="grid grid-cols-1 content-start gap-4 min-w-0 @min-[1000px]:grid-cols-[minmax(0,1fr)_330px]">
      <div className="grid grid-cols-1 content-start gap-4 min-w-0">
        <ErrorBoundary>
          <SessionTimeline incident={incident} onOpen={onOpen} />
        </ErrorBoundary>
        <ErrorBoundary>
          <Evidence incident={incident} onOpen={onOpen} />
        </ErrorBoundary>
        {showsMessages && (
          <ErrorBoundary>
            <LoopMessages incident={incident} items={around.data?.items ?? []} />
          </ErrorBoundary>
        )}
        {incident.guidance !== null && <GuidanceCard text={incident.guidance} />}
      </div>
      <div className="grid grid-cols-1 content-start gap-4 min-w-0 @min-[600px]:grid-cols-2 @min-[1000px]:grid-cols-1">
        <div className="grid grid-cols-1 content-start gap-4 min-w-0">
          <ReasonCard incident={incident} />
          <LifecycleCard incident={incident} />
        </div>
        <div className="grid grid-cols-1 content-start gap-4 min-w-0">
          <TriageCard incident={incident} />
          {incident.triage.status === 'false_positive' && <Remedies incident={incident} />}
          <Related incident={incident} />
          <DetailsCard incident={incident} />
        </div>
      </div>
    </div>
  );
}
