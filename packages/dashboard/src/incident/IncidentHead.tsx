import type { IncidentDetail, IncidentItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { LoopSummary } from '../incidents/LoopSummary.tsx';
import { useCauseTriage } from '../incidents/mutes/mute-cause.ts';
import { TriageButtons } from '../incidents/TriageButtons.tsx';
import { useTriage } from '../incidents/triage.ts';
import { serverNow } from '../lib/clock.ts';
import { nounOf } from '../lib/format.ts';
import { useKeys } from '../lib/keys.ts';
import { visibleText } from '../lib/visible-text.ts';
import { useLive } from '../live/context.ts';
import { showInTab } from '../page/favicon.ts';
import { loopSearch } from '../session/loop-link.ts';
import { StopSwitch } from '../session/switches/StopSwitch.tsx';
import { Ring } from '../ui/charts/Ring.tsx';
import { chipClass, DetectorLabel, StateChip, TriageLabel } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Clock } from '../ui/layout/Time.tsx';
import { costSentence } from './cost.ts';
import { buildTestCase } from './test-case.ts';

interface Props {
  readonly item: IncidentItem | IncidentDetail;
  /** Undefined until it is loaded. */
  readonly detail: IncidentDetail | undefined;
  readonly page: boolean;
}

/** What an incident is, where it happened, and what can be done about it. */
export function IncidentHead({ item, detail, page }: Props) {
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
      <div className="grid gap-2 print:hidden @max-[480px]:m-0 @max-[480px]:col-span-full @max-[980px]:basis-full">
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
          <CopyButton
            what="test case"
            about="the session up to this incident, with its texts and verdicts, as JSON for a bug report or a golden case"
            text={() => buildTestCase(detail)}
          />
        </>
      )}
    </div>
  );
}
