import type { SessionDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GrafanaLink } from '../page/ExternalLinks.tsx';
import { unresolvedText } from '../sessions/unresolved.ts';
import { DetectorSquare, StateLabel } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { loopSearch } from './loop-link.ts';
import { CopyId, RecordPosition } from './RecordPosition.tsx';
import styles from './SessionSide.module.css';

/** The incidents of a session, its settings, and its position in the log. */
export function SessionSide({ session }: { readonly session: SessionDetail }) {
  const { sessionId } = session;
  const { topic, partition, firstOffset, lastOffset } = session.source;
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
            <Facts
              facts={Object.entries(session.settings).map(([path, value]) => [
                path,
                <code key={path}>{JSON.stringify(value)}</code>,
              ])}
            />
            <Link className={styles['change']} to="/settings" search={{ scope: `session:${sessionId}` }}>
              Edit
            </Link>
          </>
        )}
      </Card>
      <Card title="Details">
        <Facts
          facts={[
            ['first record', <RecordPosition key="f" place={{ topic, partition, offset: firstOffset }} />],
            ['last record', <RecordPosition key="l" place={{ topic, partition, offset: lastOffset }} />],
            ['preset', session.preset],
            ['config', <CopyId key="c" text={session.configHash} what="config hash" />],
          ]}
        />
        <p className={styles['elsewhere']}>
          <GrafanaLink from={session.startedAt} to={session.lastEventAt} />
        </p>
      </Card>
    </>
  );
}
