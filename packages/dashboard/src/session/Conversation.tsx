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
import block from './BlockView.module.css';
import styles from './Conversation.module.css';
import { RedactionNote } from './RedactionNote.tsx';
import frame from './Transcript.module.css';
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
    <section className={frame['box']} aria-label="Conversation">
      <Async query={query} what="the messages" skeleton={<Skeleton height={420} what="the messages" />}>
        {({ pages }) => (
          <>
            <div className={frame['bar']}>
              <h2>Conversation</h2>
              <span>{plural(pages[0]?.total ?? 0, 'message')} stored by the gateway</span>
            </div>
            <RedactionNote redaction={redaction} />
            <ol className={styles['list']}>
              {pages.flatMap(({ items }) =>
                items.map((message) => (
                  <li key={message.number}>
                    <MessageView message={message} isRedacted={redaction.isRedacted} />
                  </li>
                )),
              )}
            </ol>
            {query.hasNextPage && (
              <p className={frame['more']}>
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
    <div className={block['block']} data-kind={role === 'user' ? 'prompt' : undefined}>
      <div className={block['head']}>
        <b>{byGateway ? 'Gateway' : names[role]}</b>
        {isError && <span className={styles['failed']}>failed</span>}
        <span />
        <small className={styles['when']}>
          <Ago time={at} />
        </small>
      </div>
      {thought !== null && thought !== '' && (
        <div className={styles['thought']}>
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
        <div key={call.id ?? index} className={block['result']}>
          <small>calls</small>
          <b className={styles['call']}>{visibleText(call.name)}</b>
          {call.arguments === null ? (
            <p className={block['redacted']}>Arguments not stored (privacy.store_text is off).</p>
          ) : (
            <BlockText code isRedacted={isRedacted} text={prettyJson(call.arguments)} />
          )}
        </div>
      ))}
      {!isStored && <p className={block['redacted']}>Text not stored (privacy.store_text is off).</p>}
    </div>
  );
}
