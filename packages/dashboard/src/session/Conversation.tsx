import type { SessionDetail, SessionMessage } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { messagesQuery } from '../api/sessions.ts';
import { prettyJson } from '../incident/evidence/diff.ts';
import { plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import { BlockText } from './BlockText.tsx';
import { RedactionNote } from './RedactionNote.tsx';
import { useRedaction } from './use-redaction.ts';

const names = { system: 'System', user: 'User', assistant: 'Model', tool: 'Tool' } as const;

/** How often a live session is refetched. */
const REFRESH_MS = 5_000;

/** The conversation as stored by the gateway, message by message. */
export function Conversation({ session: { sessionId, state } }: { readonly session: SessionDetail }) {
  const query = useInfiniteQuery({
    ...messagesQuery(sessionId),
    refetchInterval: (state === 'live' || state === 'quiet') && REFRESH_MS,
  });
  const redaction = useRedaction();
  return (
    <section className="border min-w-0 rounded-lg bg-panel" aria-label="Conversation">
      <Async query={query} what="the messages" skeleton={<Skeleton height={420} what="the messages" />}>
        {({ pages }) => (
          <>
            <div className="px-4 py-2 sticky z-2 top-0 flex items-center gap-2 border-b rounded-t-lg bg-panel max-sm:justify-between">
              <h2 className="font-600">Conversation</h2>
              <span className="flex-1 text-sm text-ink3 max-sm:hidden">
                {plural(pages[0]?.total ?? 0, 'message')} stored by the gateway
              </span>
            </div>
            <RedactionNote redaction={redaction} />
            <ol className="px-4 pt-3 pb-4 grid gap-3">
              {pages.flatMap(({ items }) =>
                items.map((message) => (
                  <li key={message.number}>
                    <MessageView message={message} isRedacted={redaction.isRedacted} />
                  </li>
                )),
              )}
            </ol>
            {query.hasNextPage && (
              <p className="p-2 flex gap-3 justify-center text-hot">
                <Button small onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
                  {query.isFetchingNextPage ? 'Loading…' : 'Load more'}
                </Button>
              </p>
            )}
          </>
        )}
      </Async>
    </section>
  );
}

interface Props {
  readonly message: SessionMessage;
  readonly isRedacted: boolean;
}

function MessageView({ message, isRedacted }: Props) {
  const { role, at, text, thought, calls, isError, byGateway } = message;
  const isStored = text !== null || thought !== null || calls.length > 0;
  return (
    <div
      className="pl-3 py-0.5 min-w-0 border-l-3 border-l-transparent data-loop:border-l-(--hue) data-[kind=prompt]:px-3 data-[kind=prompt]:py-2 data-[kind=prompt]:border-l-transparent data-[kind=prompt]:rounded-md data-[kind=prompt]:bg-accent-soft"
      data-kind={role === 'user' ? 'prompt' : undefined}
    >
      <div className="flex items-center gap-3 min-h-5.5 text-sm">
        <b className="font-600 text-ink2 in-data-[kind=call]:text-sm/[1.6] in-data-[kind=call]:font-mono in-data-[kind=call]:font-550 in-data-[kind=call]:text-ink in-data-[kind=note]:text-ink3">
          {byGateway ? 'Gateway' : names[role]}
        </b>
        {isError && <span className="text-xs text-hot flex-1">failed</span>}
        <span className="flex-1" />
        <small className="text-xs text-ink3">
          <Ago time={at} />
        </small>
      </div>
      {thought !== null && thought !== '' && (
        <div className="text-ink2 italic">
          <BlockText isRedacted={isRedacted} text={thought} />
        </div>
      )}
      {text !== null && text !== '' && (
        <BlockText
          isRedacted={isRedacted}
          code={role === 'tool'}
          text={role === 'tool' ? prettyJson(text) : text}
        />
      )}
      {calls.map((call, index) => (
        <div
          key={call.id ?? index}
          className="px-2.5 py-1.5 mt-1 grid grid-cols-[48px_minmax(0,1fr)] gap-x-2 gap-y-0 rounded-md bg-raise/60 [&>:not(small)]:col-2 [&>:not(small)]:justify-self-start"
        >
          <small className="text-xs/[1.8] text-ink3 in-data-failed:text-hot">calls</small>
          <b className="text-sm/[1.6] font-mono font-550">{visibleText(call.name)}</b>
          {call.arguments === null ? (
            <p className="text-sm text-ink3">Arguments not stored (privacy.store_text is off).</p>
          ) : (
            <BlockText code isRedacted={isRedacted} text={prettyJson(call.arguments)} />
          )}
        </div>
      ))}
      {!isStored && <p className="text-sm text-ink3">Text not stored (privacy.store_text is off).</p>}
    </div>
  );
}
