import type { Incident } from '@loopwatch/contract';
import type { Remedy } from '@loopwatch/contract/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { backtestQuery, startBacktest } from '../../api/backtests.ts';
import { useRefusal } from '../../api/me.ts';
import { remediesQuery } from '../../api/remedies.ts';
import { scopeQuery } from '../../api/settings.ts';
import { errorText } from '../../lib/error-text.ts';
import { formatNumber, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { useApply } from '../../settings/use-apply.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { toast } from '../../ui/feedback/toast-store.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { remedyImpact } from './remedy-impact.ts';

/** The latest recorded sessions that a backtest runs on. */
const BACKTEST_SESSIONS = 500;
const MAX_SHOWN_SESSIONS = 5;
/** Choices that are shown before the others are asked for. */
const SHOWN_REMEDIES = 2;

interface Props {
  readonly incident: Pick<Incident, 'id' | 'sessionId'>;
}

/** Settings that would have prevented a false positive: preview what else each one hides, and apply it. */
export function Remedies({ incident }: Props) {
  const { data } = useQuery(remediesQuery(incident.id));
  const [isAll, setAll] = useState(false);
  if (data === undefined || data.items.length === 0) return null;
  const isMore = data.items.length > SHOWN_REMEDIES || data.items.some(({ scopes }) => scopes.length > 1);
  return (
    <Card title="Prevent this false positive">
      <ul className="grid gap-3 text-sm [&>li+li]:pt-3 [&>li+li]:border-t">
        {(isAll ? data.items : data.items.slice(0, SHOWN_REMEDIES)).map((remedy) => (
          <Suggestion key={remedy.text} remedy={remedy} sessionId={incident.sessionId} isBrief={!isAll} />
        ))}
      </ul>
      {!isAll && isMore && (
        <p className="mt-3">
          <Button small quiet onClick={() => setAll(true)}>
            More choices
          </Button>
        </p>
      )}
    </Card>
  );
}

interface SuggestionProps {
  readonly remedy: Remedy;
  readonly sessionId: string;
  /** Only the first scope. */
  readonly isBrief: boolean;
}

function Suggestion({ remedy, sessionId, isBrief }: SuggestionProps) {
  const refused = useRefusal();
  const trial = useMutation({
    mutationFn: () =>
      startBacktest({
        variants: [{ name: 'current' }, { name: 'proposed', set: { [remedy.path]: remedy.value } }],
        sessions: { from: 0, limit: BACKTEST_SESSIONS },
      }),
    onError: (error) => toast(`Could not start the backtest: ${errorText(error)}`, { tone: 'hot' }),
  });
  return (
    <li className="grid gap-2">
      <p title={remedy.path}>{visibleText(remedy.text)}</p>
      <div className="flex flex-wrap gap-2">
        {(isBrief ? remedy.scopes.slice(0, 1) : remedy.scopes).map((scope) => (
          <ApplyButton key={scope} remedy={remedy} scope={scope} />
        ))}
        <Button small refused={refused} disabled={trial.isPending} onClick={() => trial.mutate()}>
          Preview impact
        </Button>
      </div>
      {trial.data !== undefined && <Effect job={trial.data.id} sessionId={sessionId} />}
    </li>
  );
}

function ApplyButton({
  remedy: { path, value },
  scope,
}: {
  readonly remedy: Remedy;
  readonly scope: string;
}) {
  const client = useQueryClient();
  const refused = useRefusal();
  const { busy, apply } = useApply();
  const [kind = '', name] = scope.split(/:(.*)/);
  const run = async () => {
    try {
      await apply(await client.query({ ...scopeQuery(scope), staleTime: 0 }), { [path]: value });
    } catch (error) {
      toast(`Could not apply the setting: ${errorText(error)}`, { tone: 'hot' });
    }
  };
  return (
    <Button small refused={refused} disabled={busy} title={name} onClick={() => void run()}>
      Apply to {kind === 'server' ? 'the server' : `this ${kind}`}
    </Button>
  );
}

/** What a remedy would hide in other recorded sessions. */
function Effect({ job: id, sessionId }: { readonly job: string; readonly sessionId: string }) {
  const { data: job, error } = useQuery(backtestQuery(id));
  const failure = error === null ? job?.error : errorText(error);
  if (failure !== null && failure !== undefined) return <p role="alert">{failure}</p>;
  if (job?.result === null || job === undefined)
    return <p role="status">Running a backtest on recorded sessions…</p>;
  const { incidents, sessions, of } = remedyImpact(job.result, sessionId);
  if (incidents === 0)
    return <p role="status">No other incidents would be hidden ({plural(of, 'other session')} checked).</p>;
  const more = sessions.length - MAX_SHOWN_SESSIONS;
  return (
    <div role="status">
      Would also hide {plural(incidents, 'incident')} in {formatNumber(sessions.length)} of{' '}
      {plural(of, 'other session')}:
      <ul className="mt-1 text-ink2 wrap-anywhere">
        {sessions.slice(0, MAX_SHOWN_SESSIONS).map((session) => (
          <li key={session}>
            <Link to="/sessions/$id" params={{ id: session }}>
              {visibleText(session)}
            </Link>
          </li>
        ))}
        {more > 0 && <li>and {plural(more, 'more', 'more')}</li>}
      </ul>
    </div>
  );
}
