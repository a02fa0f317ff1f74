import type { SessionDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useRefusal } from '../api/me.ts';
import { SessionBudget } from '../budgets/BudgetsCard.tsx';
import { formatNumber, nounOf } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GrafanaLink } from '../page/ExternalLinks.tsx';
import { unresolvedText } from '../sessions/unresolved.ts';
import { Button } from '../ui/controls/Button.tsx';
import { DetectorSquare, StateLabel } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Facts } from '../ui/layout/Facts.tsx';
import { loopSearch } from './loop-link.ts';
import { CopyId, RecordPosition } from './RecordPosition.tsx';

interface Props {
  readonly session: SessionDetail;
  /** Without it, as beside the list, erasing is not offered. */
  readonly onErase?: () => void;
}

/** The incidents of a session, its settings, and its position in the log. */
export function SessionSide({ session, onErase }: Props) {
  const refused = useRefusal();
  const { sessionId } = session;
  const { topic, partition, firstOffset, lastOffset } = session.source;
  // Project and branch are shown above.
  const tags = Object.entries(session.tags ?? {})
    .filter(([name]) => name !== 'project' && name !== 'branch')
    .map(([name, value]) => [visibleText(name), visibleText(value)] as const);
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
          <p className="text-sm text-ink2">No incidents in this session.</p>
        ) : (
          <ol className="grid gap-3 max-h-105 overflow-auto [&_li>i]:mt-1.5 [&_p_a]:text-accent [&_p_a]:leading-6">
            {session.incidentItems.map((item) => (
              <li className="grid grid-cols-[8px_minmax(0,1fr)] gap-2" key={item.id}>
                <DetectorSquare detector={item.detector} />
                <div>
                  <Link
                    className="inline-block min-h-6 wrap-anywhere hover:underline"
                    to="/incidents/$id"
                    params={{ id: item.id }}
                    title={item.reason}
                  >
                    {visibleText(item.title)}
                  </Link>
                  <p className="flex gap-3 text-sm">
                    <StateLabel state={item.state} outcome={item.outcome} />
                    <Link
                      className="wrap-anywhere hover:underline"
                      to="/sessions/$id"
                      params={{ id: sessionId }}
                      search={loopSearch(item)}
                      activeProps={{}}
                    >
                      {nounOf(item)} start
                    </Link>
                  </p>
                </div>
              </li>
            ))}
          </ol>
        )}
      </Card>
      <SessionBudget sessionId={sessionId} />
      <Card title="Session settings">
        {Object.keys(session.settings).length === 0 ? (
          <p className="text-sm text-ink2">
            No overrides: model and server settings apply, unless an event of the session changes them.{' '}
            <Link className="underline text-accent" to="/settings" search={{ scope: `session:${sessionId}` }}>
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
            <Link
              className="mt-2 underline text-accent inline-block text-sm"
              to="/settings"
              search={{ scope: `session:${sessionId}` }}
            >
              Edit
            </Link>
          </>
        )}
      </Card>
      {tags.length > 0 && (
        <Card title="Tags">
          <Facts facts={tags} />
        </Card>
      )}
      <Card title="Details">
        <Facts
          facts={[
            ['first record', <RecordPosition key="f" position={{ topic, partition, offset: firstOffset }} />],
            ['last record', <RecordPosition key="l" position={{ topic, partition, offset: lastOffset }} />],
            ['preset', session.preset],
            ['config', <CopyId key="c" text={session.configHash} what="config hash" />],
            ...(session.agentVersion == null
              ? []
              : [['version', visibleText(session.agentVersion)] as const]),
          ]}
        />
        <p className="-ml-2 mt-2 flex items-center justify-between gap-3">
          {onErase !== undefined && (
            <Button small quiet refused={refused} onClick={onErase}>
              Erase session…
            </Button>
          )}
          <GrafanaLink from={session.startedAt} to={session.lastEventAt} />
        </p>
      </Card>
    </>
  );
}
