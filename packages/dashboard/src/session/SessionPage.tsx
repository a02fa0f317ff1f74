import type { SessionDetail } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { messagesQuery } from '../api/sessions.ts';
import { errorText } from '../lib/error-text.ts';
import { loadCode } from '../lib/load-code.ts';
import { valueOf } from '../lib/search.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Page } from '../page/Page.tsx';
import { SessionState } from '../sessions/SessionState.tsx';
import { sessionName } from '../sessions/session-name.ts';
import { Button } from '../ui/controls/Button.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Conversation } from './Conversation.tsx';
import { PartNav } from './PartNav.tsx';
import { partAt } from './parts.ts';
import { SessionFacts } from './SessionFacts.tsx';
import { SessionSide } from './SessionSide.tsx';
import { DetectionSwitch } from './switches/DetectionSwitch.tsx';
import { StopSwitch } from './switches/StopSwitch.tsx';
import { Transcript } from './Transcript.tsx';
import type { Anchor } from './use-events.ts';
import { useSession } from './use-session.ts';

const EraseDialog = lazy(() => loadCode(() => import('./EraseDialog.tsx')));

/** Longer sessions open at their end while they are live. */
const MAX_SHORT_EVENTS = 1_500;

/** One session: its transcript, followed live, with the loops marked. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' });
  const [erasing, setErasing] = useState(false);
  return (
    <>
      <SessionOf id={id} onErase={() => setErasing(true)} />
      {erasing && (
        // Beside the session, because it shows what was erased when the session is gone.
        <Suspense>
          <EraseDialog sessionId={id} onClose={() => setErasing(false)} />
        </Suspense>
      )}
    </>
  );
}

function SessionOf({ id, onErase }: { readonly id: string; readonly onErase: () => void }) {
  const search = useSearch({ strict: false });
  const { session, query } = useSession(id);
  if (session === undefined) {
    return (
      <Page title={visibleText(id)} tab={id}>
        {query.error === null ? (
          <>
            <Skeleton height={96} what="the session" />
            <Skeleton height={420} what="its events" />
          </>
        ) : query.error instanceof ApiError && query.error.status === 404 ? (
          <Message title="Session not found" action={<Link to="/sessions">Back to sessions</Link>}>
            It may have expired under the retention settings, or the link is incomplete.
          </Message>
        ) : (
          <Message
            title="Could not load the session"
            tone="hot"
            action={<Button onClick={() => void query.refetch()}>Retry</Button>}
          >
            {errorText(query.error)}
          </Message>
        )}
      </Page>
    );
  }
  return <Session key={id} session={session} search={search} onErase={onErase} />;
}

interface Props {
  readonly session: SessionDetail;
  readonly search: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly onErase: () => void;
}

function Session({ session, search, onErase }: Props) {
  const { sessionId } = session;
  const at = wholeNumber(valueOf(search, 'at'));
  const part = wholeNumber(valueOf(search, 'part'));
  const incident = valueOf(search, 'incident');
  const navigate = useNavigate();
  const messages = useInfiniteQuery(messagesQuery(sessionId));
  const hasMessages = (messages.data?.pages[0]?.total ?? 0) > 0;
  const view = hasMessages && valueOf(search, 'view') === 'messages' ? 'messages' : 'events';
  const loop = session.incidentItems.find(({ id }) => id === incident);
  const shown = partAt(session, part ?? (loop?.source == null ? undefined : Number(loop.source.offset)));
  const isLong = shown.part.events > MAX_SHORT_EVENTS;
  const hasEnded = session.state === 'ended' || session.state === 'idle';
  const start: Anchor =
    at !== undefined
      ? { kind: 'at', at, part }
      : incident !== undefined
        ? { kind: 'around', incident }
        : { kind: isLong && !hasEnded ? 'end' : 'start', part };
  return (
    <Page
      title={sessionName(session)}
      note={<SessionState session={session} />}
      actions={
        <>
          <CopyButton what="link" text={() => window.location.href} />
          <StopSwitch
            sessionId={sessionId}
            stopped={session.stopped === true}
            over={session.state === 'ended'}
          />
          <DetectionSwitch session={session} />
        </>
      }
    >
      <SessionFacts session={session} />
      <div className="grid grid-cols-[minmax(0,1fr)_320px] items-start gap-4 @max-[900px]/page:grid-cols-1">
        <div className="grid grid-cols-1 justify-items-start gap-3 [&>:not([role=group])]:w-full">
          {hasMessages && (
            <Segments
              label="View"
              value={view}
              options={[
                { value: 'events', text: 'Events' },
                { value: 'messages', text: 'Conversation' },
              ]}
              onChange={(chosen) =>
                void navigate({
                  to: '/sessions/$id',
                  params: { id: sessionId },
                  search: chosen === 'messages' ? { view: chosen } : {},
                })
              }
            />
          )}
          {view === 'messages' ? (
            <Conversation session={session} />
          ) : (
            <>
              <PartNav session={session} shown={shown} />
              <Transcript
                key={`${String(shown.index)} ${String(incident)}`}
                session={session}
                shown={shown}
                start={start}
                at={at}
              />
            </>
          )}
        </div>
        {/* In a narrow page the loops come before the transcript, everything else after it. */}
        <div className="grid gap-4 min-w-0 @max-[900px]/page:contents @max-[900px]/page:[&>:first-child]:row-1">
          <SessionSide session={session} onErase={onErase} />
        </div>
      </div>
    </Page>
  );
}

/** A parameter that is a number from 0; undefined for anything else. */
function wholeNumber(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isInteger(value) && value >= 0 ? value : undefined;
}
