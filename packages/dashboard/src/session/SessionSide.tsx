import type { SessionDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GrafanaLink, RecordLink } from '../page/Elsewhere.tsx';
import { recordName } from '../page/record-links.ts';
import { unresolvedText } from '../sessions/unresolved.ts';
import { DetectorSquare, StateLabel } from '../ui/controls/Chip.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { loopSearch } from './loop-link.ts';
import styles from './SessionSide.module.css';

/** The incidents of a session, its settings, and its position in the log. */
export function SessionSide({ session }: { readonly session: SessionDetail }) {
  const { sessionId } = session;
  return (
    <>
      <Card
        title="Incidents"
        note={
          session.incidentItems.length > 0 &&
          `${formatNumber(session.incidents.total)}, ${unresolvedText(session.incidents)}`
        }
      >
        {session.incidentItems.length === 0 ? (
          <p className={styles['none']}>No loops in this session.</p>
        ) : (
          <ol className={styles['incidents']}>
            {session.incidentItems.map((item) => (
              <li key={item.id}>
                <DetectorSquare detector={item.detector} />
                <div>
                  <Link to="/incidents/$id" params={{ id: item.id }}>
                    {visibleText(item.reason)}
                  </Link>
                  <p>
                    <StateLabel state={item.state} outcome={item.outcome} />
                    <Link
                      to="/sessions/$id"
                      params={{ id: sessionId }}
                      search={loopSearch(item)}
                      activeProps={{}}
                    >
                      loop start
                    </Link>
                  </p>
                </div>
              </li>
            ))}
          </ol>
        )}
      </Card>
      <Card title="Session settings">
        {Object.keys(session.settings).length === 0 ? (
          <p className={styles['none']}>
            No overrides: model and server settings apply.{' '}
            <Link to="/settings" search={{ scope: `session:${sessionId}` }}>
              Add overrides
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
              Edit
            </Link>
          </>
        )}
      </Card>
      <Card title="Details">
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
    </>
  );
}
