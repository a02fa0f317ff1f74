import { ApiError } from '../api/client.ts';
import { errorText } from '../lib/error-text.ts';
import { visibleText } from '../lib/visible-text.ts';
import { PeekBar } from '../list/PeekBar.tsx';
import { SessionFacts } from '../session/SessionFacts.tsx';
import { SessionSide } from '../session/SessionSide.tsx';
import { useSession } from '../session/use-session.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { SessionState } from './SessionState.tsx';
import { sessionName } from './session-name.ts';

interface Props {
  readonly id: string;
  /** Whether it replaces the list. */
  readonly alone: boolean;
  readonly onClose: () => void;
}

/** Details of a session beside the list: loops, settings and records. */
export function SessionPeek({ id, alone, onClose }: Props) {
  const { session, query } = useSession(id);
  const Heading = alone ? 'h1' : 'h2';
  return (
    <article
      className="px-6 pt-3 pb-16 @container/page grid grid-cols-1 content-start gap-4 min-w-0 max-sm:px-3 max-sm:pt-2 max-sm:pb-6 [&_:is(h1,h2)]:text-lg/[1.4] [&_:is(h1,h2)]:min-w-0 [&_:is(h1,h2)]:font-620 [&_:is(h1,h2)]:wrap-anywhere"
      aria-label="Session"
    >
      <PeekBar to="/sessions/$id" params={{ id }} onClose={onClose} />
      <header className="flex items-baseline gap-3">
        <Heading dir="auto">{session === undefined ? visibleText(id) : sessionName(session)}</Heading>
        {session !== undefined && <SessionState session={session} />}
      </header>
      {session !== undefined ? (
        <>
          <SessionFacts session={session} />
          <SessionSide session={session} />
        </>
      ) : query.error === null ? (
        <Skeleton height={260} what="the session" />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Message level={2} title="Session not found">
          It may have expired under the retention settings, or the link is incomplete.
        </Message>
      ) : (
        <Message
          level={2}
          title="Could not load the session"
          tone="hot"
          action={<Button onClick={() => void query.refetch()}>Retry</Button>}
        >
          {errorText(query.error)}
        </Message>
      )}
    </article>
  );
}
