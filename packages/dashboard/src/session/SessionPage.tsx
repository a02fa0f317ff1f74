import { incidentAt, type SessionDetail, sessionAt } from '@loopwatch/contract/api';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { ApiError, errorText } from '../api/client.ts';
import { messagesQuery, sessionQuery } from '../api/sessions.ts';
import { useCoarseNow } from '../app/clock.ts';
import { valueOf } from '../app/search.ts';
import { isNewer } from '../incidents/merge.ts';
import { useLive } from '../live/context.ts';
import { unresolvedText } from '../sessions/SessionCells.tsx';
import { SessionState } from '../sessions/SessionState.tsx';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { chipClass, DetectorSquare, StateLabel } from '../ui/Chip.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { GrafanaLink, RecordLink } from '../ui/Elsewhere.tsx';
import { recordName } from '../ui/elsewhere.ts';
import { formatCompact, formatDuration, formatNumber, plural } from '../ui/format.ts';
import { Message } from '../ui/Message.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Ago } from '../ui/Time.tsx';
import { Conversation } from './Conversation.tsx';
import { OffSwitch } from './OffSwitch.tsx';
import styles from './SessionPage.module.css';
import { Transcript } from './Transcript.tsx';
import type { Anchor } from './use-events.ts';

/** Events of a session that is read from its beginning; of a longer one the end comes first. */
const SHORT = 1_500;

/** One conversation: what was said and called, as it goes on, with the loops marked. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' });
  const search = useSearch({ strict: false });
  const query = useQuery(sessionQuery(id));
  const client = useQueryClient();
  const told = useLive(({ sessions }) => sessions.get(id));
  const loops = useLive((state) => state.incidents);
  const now = useCoarseNow();
  const { data } = query;

  // The list of its incidents is not part of what the live link tells of a session.
  const incidents = told?.incidents.total;
  const open = told?.incidents.open;
  useEffect(() => {
    if (incidents !== undefined) void client.invalidateQueries({ queryKey: sessionQuery(id).queryKey });
  }, [client, id, incidents, open]);

  if (data === undefined) {
    return (
      <Page title={id} tab={id}>
        {query.error === null ? (
          <>
            <Skeleton height={96} what="the session" />
            <Skeleton height={420} what="its events" />
          </>
        ) : query.error instanceof ApiError && query.error.status === 404 ? (
          <Message title="This session is not here" action={<Link to="/sessions">To the sessions</Link>}>
            It may be older than what the server keeps, or the link is incomplete.
          </Message>
        ) : (
          <Message
            title="No answer"
            tone="hot"
            action={<Button onClick={() => void query.refetch()}>Retry</Button>}
          >
            {errorText(query.error)}
          </Message>
        )}
      </Page>
    );
  }
  const latest: SessionDetail =
    told !== undefined && told.updatedAt >= data.updatedAt ? { ...data, ...told } : data;
  const session = sessionAt(latest, now);
  const incidentItems = session.incidentItems.map((item) => {
    const news = loops.get(item.id);
    return incidentAt(news !== undefined && isNewer(news, item) ? news : item, now);
  });
  return <Session key={id} session={{ ...session, incidentItems }} search={search} />;
}

interface Props {
  readonly session: SessionDetail;
  readonly search: Readonly<Record<string, string | readonly string[] | undefined>>;
}

function Session({ session, search }: Props) {
  const { sessionId, agent, model, backend, tenant, tokens } = session;
  const asked = Number(valueOf(search, 'at'));
  const at = valueOf(search, 'at') !== undefined && Number.isInteger(asked) && asked >= 0 ? asked : undefined;
  const incident = valueOf(search, 'incident');
  const navigate = useNavigate();
  const messages = useInfiniteQuery(messagesQuery(sessionId));
  const hasMessages = (messages.data?.pages[0]?.total ?? 0) > 0;
  const view = hasMessages && valueOf(search, 'view') === 'messages' ? 'messages' : 'events';
  const isLong = session.events > SHORT;
  const anchor = useMemo<Anchor>(() => {
    if (incident !== undefined) return { kind: 'around', incident };
    return at === undefined && isLong ? { kind: 'end' } : { kind: 'start' };
    // Where reading began does not change as the session grows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [incident, at]);
  return (
    <Page
      title={sessionId}
      note={<SessionState state={session.state} />}
      actions={
        <>
          <CopyButton what="link" text={() => window.location.href} />
          <OffSwitch session={session} />
        </>
      }
    >
      <div className={styles['chips']}>
        {agent !== null && (
          <Link className={chipClass} to="/sessions" search={{ agent }} title="Sessions of this agent">
            <span>{agent}</span>
          </Link>
        )}
        {model !== null && (
          <Link className={chipClass} to="/sessions" search={{ model }} title="Sessions with this model">
            <span>{backend === null ? model : `${backend} / ${model}`}</span>
          </Link>
        )}
        {tenant !== null && (
          <span className={chipClass}>
            <span>{tenant}</span>
          </span>
        )}
        <span className={styles['facts']}>
          {plural(session.prompts, 'prompt')}, {plural(session.turns, 'turn')},{' '}
          {plural(session.toolCalls, 'call')}, {formatCompact(session.characters)} characters
          {tokens !== null &&
            `, ${formatCompact(tokens.input)} tokens in and ${formatCompact(tokens.output)} out`}
          ; over {formatDuration(Math.max(0, session.lastEventAt - session.startedAt))}, last event{' '}
          <Ago time={session.lastEventAt} />
        </span>
      </div>
      <div className={styles['body']}>
        <div className={styles['said']}>
          {hasMessages && (
            <Segments
              label="What is read"
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
            <Transcript session={session} anchor={anchor} at={at} />
          )}
        </div>
        <div className={styles['side']}>
          <Card
            title="Loops in it"
            note={
              session.incidentItems.length > 0 &&
              `${formatNumber(session.incidents.total)}, ${unresolvedText(session.incidents)}`
            }
          >
            {session.incidentItems.length === 0 ? (
              <p className={styles['none']}>No loop was found in this session.</p>
            ) : (
              <ol className={styles['incidents']}>
                {session.incidentItems.map((item) => (
                  <li key={item.id}>
                    <DetectorSquare detector={item.detector} />
                    <div>
                      <Link to="/incidents/$id" params={{ id: item.id }}>
                        {item.reason}
                      </Link>
                      <p>
                        <StateLabel state={item.state} outcome={item.outcome} />
                        <Link
                          to="/sessions/$id"
                          params={{ id: sessionId }}
                          search={{ incident: item.id }}
                          activeProps={{}}
                        >
                          show in the transcript
                        </Link>
                      </p>
                    </div>
                  </li>
                ))}
              </ol>
            )}
          </Card>
          <Card title="Its own settings">
            {Object.keys(session.settings).length === 0 ? (
              <p className={styles['none']}>
                None; those of its model and of the server hold.{' '}
                <Link to="/settings" search={{ scope: `session:${sessionId}` }}>
                  Set some
                </Link>
              </p>
            ) : (
              <>
                <dl className={styles['settings']}>
                  {Object.entries(session.settings).map(([path, value]) => (
                    <div key={path}>
                      <dt>{path}</dt>
                      <dd>{JSON.stringify(value)}</dd>
                    </div>
                  ))}
                </dl>
                <Link className={styles['change']} to="/settings" search={{ scope: `session:${sessionId}` }}>
                  Change them
                </Link>
              </>
            )}
          </Card>
          <Card title="Record">
            <dl className={styles['settings']}>
              {(['first', 'last'] as const).map((name) => {
                const { topic, partition, firstOffset, lastOffset } = session.source;
                const place = { topic, partition, offset: name === 'first' ? firstOffset : lastOffset };
                return (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      {recordName(place)}
                      <CopyButton
                        bare
                        what={`topic, partition and offset of the ${name} record`}
                        text={recordName(place)}
                      />
                      <RecordLink place={place} />
                    </dd>
                  </div>
                );
              })}
              <div>
                <dt>preset</dt>
                <dd>{session.preset}</dd>
              </div>
              <div>
                <dt>config</dt>
                <dd title={session.configHash}>{session.configHash.slice(0, 12)}</dd>
              </div>
            </dl>
            <p className={styles['elsewhere']}>
              <GrafanaLink from={session.startedAt} to={session.lastEventAt} />
            </p>
          </Card>
        </div>
      </div>
    </Page>
  );
}
