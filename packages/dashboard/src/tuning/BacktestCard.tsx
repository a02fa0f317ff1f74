import type { BacktestJob } from '@loopwatch/contract/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { backtestQuery, backtestsQuery, cancelBacktest, startBacktest } from '../api/backtests.ts';
import { useRefusal } from '../api/me.ts';
import { serverNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { formatCompact, plural } from '../lib/format.ts';
import { rangeLimits } from '../lib/time-range.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Ago } from '../ui/layout/Time.tsx';
import type { Values } from './config.ts';
import { ScoreTable } from './ScoreTable.tsx';
import type { SessionSelection, Source } from './use-recordings.ts';

interface Props {
  readonly source: Source;
  readonly sessions: SessionSelection;
  readonly moved: Values;
}

const MAX_SESSIONS = 5_000;

/** The same comparison for many sessions as a job on the server, where each session's model settings apply too. */
export function BacktestCard({ source, sessions, moved }: Props) {
  const { total } = sessions;
  const client = useQueryClient();
  const refused = useRefusal();
  const { data: list } = useQuery(backtestsQuery);
  const [shown, setShown] = useState<string>();
  const start = useMutation({
    mutationFn: () =>
      startBacktest({
        variants: [{ name: 'current' }, { name: 'proposed', set: { ...moved } }],
        sessions: { ...sessionQuery(source, sessions), limit: Math.min(MAX_SESSIONS, Math.max(1, total)) },
      }),
    onSuccess: (job) => {
      setShown(job.id);
      void client.invalidateQueries({ queryKey: ['backtests', 'list'] });
    },
  });
  const id = shown ?? list?.items.find(({ status }) => status === 'running')?.id;
  return (
    <Card title="Backtest" note="runs on the server">
      <Button refused={refused} disabled={start.isPending} onClick={() => start.mutate()}>
        Run on {plural(Math.min(MAX_SESSIONS, total), 'session')}
      </Button>
      {start.isError && (
        <p className="mt-2 text-sm text-hot" role="alert">
          {errorText(start.error)}
        </p>
      )}
      {id !== undefined && <Job id={id} />}
      {(list?.items.length ?? 0) > 0 && (
        <details className="mt-3 text-sm">
          <summary className="text-ink2 cursor-pointer">Earlier backtests</summary>
          <ul>
            {list?.items.slice(0, 8).map((job) => (
              <li className="py-0.75 flex justify-between gap-3 text-ink3" key={job.id}>
                <button
                  className="hover:text-accent aria-pressed:text-accent"
                  type="button"
                  onClick={() => setShown(job.id)}
                  aria-pressed={job.id === id}
                >
                  {plural(job.progress.total, 'session')}, {job.status}
                </button>
                <Ago time={job.createdAt} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function sessionQuery(source: Source, { ids }: SessionSelection) {
  if (source.kind === 'chosen') return { ids: [...ids] };
  const { range } = source;
  if (source.kind === 'recent') return { from: 0, ...rangeLimits(range, serverNow()) };
  return range.kind === 'all' ? { labelled: true } : { ids: [...ids] };
}

function Job({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const refused = useRefusal();
  const { data: job, error } = useQuery(backtestQuery(id));
  if (job === undefined) {
    return <p className="text-sm text-ink2">{error === null ? 'Loading the backtest…' : errorText(error)}</p>;
  }
  const isActive = job.status === 'queued' || job.status === 'running';
  return (
    <div className="mt-3 grid justify-items-start gap-2">
      {isActive && (
        <>
          <Progress job={job} />
          <Button
            small
            refused={refused}
            onClick={() =>
              void cancelBacktest(id).then(() => client.invalidateQueries({ queryKey: ['backtests'] }))
            }
          >
            Cancel
          </Button>
        </>
      )}
      {job.status === 'failed' && (
        <p className="mt-2 text-sm text-hot" role="alert">
          {job.error ?? 'Failed for an unknown reason.'}
        </p>
      )}
      {job.status === 'cancelled' && <p className="text-sm text-ink2">Cancelled.</p>}
      {job.result !== null && (
        <>
          <p className="text-sm text-ink2">
            {plural(job.progress.total, 'session')}, {formatCompact(job.progress.events)} events
            {job.result.missing.length > 0 && `; ${String(job.result.missing.length)} no longer in the log`}
          </p>
          <ScoreTable
            scores={job.result.variants.map((variant) => ({ name: variant.name, score: variant }))}
          />
        </>
      )}
    </div>
  );
}

function Progress({ job: { progress, status } }: { readonly job: BacktestJob }) {
  const { done, total, events } = progress;
  return (
    <div className="w-full">
      <p className="text-sm text-ink2">
        {status === 'queued' ? 'Queued' : `${plural(done, 'session')} of ${String(total)}`},{' '}
        {formatCompact(events)} events
      </p>
      <progress
        className="w-full h-2 accent-accent"
        aria-label="Progress"
        value={done}
        max={Math.max(1, total)}
      />
    </div>
  );
}
