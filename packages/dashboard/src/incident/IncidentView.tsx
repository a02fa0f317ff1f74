import { type IncidentDetail, type IncidentItem, incidentAt } from '@loopwatch/contract/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError } from '../api/client.ts';
import { incidentQuery } from '../api/incidents.ts';
import { LoopSummary } from '../incidents/LoopSummary.tsx';
import { isNewer } from '../incidents/merge.ts';
import { useCauseTriage } from '../incidents/mutes/mute-cause.ts';
import { TriageButtons } from '../incidents/TriageButtons.tsx';
import { useTriage } from '../incidents/triage.ts';
import { serverNow, useCoarseNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { nounOf } from '../lib/format.ts';
import { useKeys } from '../lib/keys.ts';
import { visibleText } from '../lib/visible-text.ts';
import { PeekBar } from '../list/PeekBar.tsx';
import { useLive } from '../live/context.ts';
import { showInTab } from '../page/favicon.ts';
import { eventSearch, loopSearch } from '../session/loop-link.ts';
import { StopSwitch } from '../session/switches/StopSwitch.tsx';
import { Ring } from '../ui/charts/Ring.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { chipClass, DetectorLabel, StateChip, TriageLabel } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { ErrorBoundary } from '../ui/feedback/ErrorBoundary.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Clock } from '../ui/layout/Time.tsx';
import { costSentence } from './cost.ts';
import { DetailsCard } from './DetailsCard.tsx';
import { Evidence } from './evidence/index.tsx';
import { GuidanceCard } from './GuidanceCard.tsx';
import { LifecycleCard } from './LifecycleCard.tsx';
import { LoopMessages } from './LoopMessages.tsx';
import { ReasonCard } from './ReasonCard.tsx';
import { Related } from './Related.tsx';
import { SessionTimeline, useAround } from './SessionTimeline.tsx';
import { buildTestCase } from './test-case.ts';
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

  const now = useCoarseNow();
  const latest = newest(live ?? row, data);
  const shown = latest && incidentAt(latest, now);
  return (
    <article
      className="px-6 pt-3 pb-16 @container grid grid-cols-1 content-start gap-4 min-w-0 max-sm:px-3 max-sm:pt-2 max-sm:pb-6 max-sm:gap-3"
      aria-label="Incident"
    >
      {onClose !== undefined && <PeekBar to="/incidents/$id" params={{ id }} onClose={onClose} />}
      {shown !== undefined && !missing && <Head item={shown} detail={data} page={alone} />}
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

interface HeadProps {
  readonly item: IncidentItem | IncidentDetail;
  /** Undefined until it is loaded. */
  readonly detail: IncidentDetail | undefined;
  readonly page: boolean;
}

function Head({ item, detail, page }: HeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const open = useLive(({ stats }) => stats?.open ?? 0);
  const triage = useTriage();
  const cause = useCauseTriage();
  useEffect(() => {
    if (!page) return;
    heading.current?.focus();
  }, [page]);
  const { title } = item;
  useEffect(() => {
    if (page) showInTab(title, open);
  }, [page, title, open]);
  useKeys(
    page
      ? {
          acknowledge: () => triage.change([item], { status: 'acknowledged' }, 'Acknowledged'),
          falsePositive: () =>
            triage.change([item], { status: 'false_positive' }, 'Marked as a false positive'),
          mute: () =>
            triage.change(
              [item],
              { status: 'muted', mutedUntil: serverNow() + 3_600_000 },
              'Muted for an hour',
            ),
          muteCause: () => cause.mute({ group: item.groupKey }),
          undo: triage.undo,
        }
      : {},
  );
  const model = [item.backend, item.model].filter((part) => part !== null).join(' / ');
  const Heading = page ? 'h1' : 'h2';
  return (
    <header className="flex items-center gap-6 @max-[480px]:grid @max-[480px]:grid-cols-[auto_minmax(0,1fr)] @max-[480px]:gap-x-4 @max-[480px]:gap-y-2 @max-[980px]:flex-wrap">
      <Ring
        detector={item.detector}
        count={item.count}
        threshold={item.threshold}
        period={item.period}
        size="large"
        over={item.state === 'resolved'}
      />
      <div className="flex-1 min-w-0 @max-[480px]:contents">
        <div className="mb-2 flex flex-wrap gap-1.5 @max-[480px]:m-0">
          <StateChip state={item.state} outcome={item.outcome} />
          {item.state === 'quiet' && (
            <span className={chipClass}>
              <span>
                no events since <Clock time={item.lastActivityAt} />
              </span>
            </span>
          )}
          <span className={chipClass}>
            <DetectorLabel detector={item.detector} />
          </span>
          {item.agent !== null && (
            <Link
              className={chipClass}
              to="/incidents"
              search={{ agent: item.agent }}
              activeProps={{}}
              title="Incidents from this agent"
            >
              <span>{visibleText(item.agent)}</span>
            </Link>
          )}
          {model !== '' && (
            <span className={chipClass}>
              <span>{visibleText(model)}</span>
            </span>
          )}
          <Link
            className={chipClass}
            to="/sessions/$id"
            params={{ id: item.sessionId }}
            search={loopSearch(item)}
            title={`Open the session where the ${nounOf(item)} began`}
          >
            <span className="truncate min-w-0 max-w-[40ch]">
              <code>{visibleText(item.sessionId)}</code>
            </span>
          </Link>
          {item.sessionStopped === true && <span className={chipClass}>session stopped</span>}
          <TriageLabel triage={item.triage} />
        </div>
        <Heading
          ref={heading}
          tabIndex={-1}
          className="text-xl/[1.3] font-640 tracking-[-0.015em] text-pretty wrap-anywhere focus-visible:outline-none @max-[480px]:m-0 @max-[480px]:col-span-full"
        >
          {visibleText(title)}
        </Heading>
        <LoopSummary
          item={item}
          className="mt-1 line-clamp-3 min-w-0 wrap-anywhere text-ink2 @max-[480px]:m-0 @max-[480px]:col-span-full"
        />
        <p className="mt-1 text-ink2 @max-[480px]:m-0 @max-[480px]:col-span-full">{costSentence(item)}</p>
      </div>
      <div className="grid gap-2 @max-[480px]:m-0 @max-[480px]:col-span-full @max-[980px]:basis-full">
        <div className="flex flex-wrap gap-2">
          {(item.state !== 'resolved' || item.sessionStopped === true) && (
            <StopSwitch
              sessionId={item.sessionId}
              stopped={item.sessionStopped === true}
              over={item.outcome === 'ended'}
            />
          )}
          <TriageButtons items={[item]} />
        </div>
        <Copies id={item.id} detail={detail} />
      </div>
    </header>
  );
}

function Copies({ id, detail }: { readonly id: string; readonly detail: IncidentDetail | undefined }) {
  const address = `${window.location.origin}/incidents/${encodeURIComponent(id)}`;
  return (
    <div className="flex flex-wrap gap-2">
      <CopyButton what="link" text={address} />
      {detail !== undefined && (
        <>
          <CopyButton what="JSON" text={() => JSON.stringify(detail, null, 2)} />
          <CopyButton what="as a test case" text={() => buildTestCase(detail)} />
        </>
      )}
    </div>
  );
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
