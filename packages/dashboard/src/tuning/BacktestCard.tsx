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
import styles from './BacktestCard.module.css';
import type { Values } from './config.ts';
import { ScoreTable } from './ScoreTable.tsx';
import type { Chosen, Source } from './use-recordings.ts';

interface Props {
  readonly source: Source;
  readonly sessions: Chosen;
  readonly moved: Values;
}

const LIMIT = 5_000;

/** The same for many sessions, by the server, with its progress; the model settings of each session count there, too. */
export function BacktestCard({ source, sessions, moved }: Props) {
  const { total } = sessions;
  const client = useQueryClient();
  const refused = useRefusal();
  const { data: list } = useQuery(backtestsQuery);
  const [shown, setShown] = useState<string>();
  const start = useMutation({
    mutationFn: () =>
      startBacktest({
        variants: [{ name: 'now' }, { name: 'tried', set: { ...moved } }],
        sessions: { ...asked(source, sessions), limit: Math.min(LIMIT, Math.max(1, total)) },
      }),
    onSuccess: (job) => {
      setShown(job.id);
      void client.invalidateQueries({ queryKey: ['backtests', 'list'] });
    },
  });
  const id = shown ?? list?.items.find(({ status }) => status === 'running')?.id;
  return (
    <Card title="On all of them" note="by the server, as a job">
      <Button refused={refused} disabled={start.isPending} onClick={() => start.mutate()}>
        Try it on {plural(Math.min(LIMIT, total), 'session')}
      </Button>
      {start.isError && (
        <p className={styles['error']} role="alert">
          {errorText(start.error)}
        </p>
      )}
      {id !== undefined && <Job id={id} />}
      {(list?.items.length ?? 0) > 0 && (
        <details className={styles['earlier']}>
          <summary>Earlier ones</summary>
          <ul>
            {list?.items.slice(0, 8).map((job) => (
              <li key={job.id}>
                <button type="button" onClick={() => setShown(job.id)} aria-pressed={job.id === id}>
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

function asked(source: Source, { ids }: Chosen) {
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
    return <p className={styles['state']}>{error === null ? 'Reading the job…' : errorText(error)}</p>;
  }
  const going = job.status === 'queued' || job.status === 'running';
  return (
    <div className={styles['job']}>
      {going && (
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
        <p className={styles['error']} role="alert">
          {job.error ?? 'Failed for an unknown reason.'}
        </p>
      )}
      {job.status === 'cancelled' && <p className={styles['state']}>Cancelled.</p>}
      {job.result !== null && (
        <>
          <p className={styles['state']}>
            {plural(job.progress.total, 'session')}, {formatCompact(job.progress.events)} events
            {job.result.missing.length > 0 &&
              `; ${String(job.result.missing.length)} are no longer in the log`}
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
    <div>
      <p className={styles['state']}>
        {status === 'queued' ? 'Waiting for its turn' : `${plural(done, 'session')} of ${String(total)}`},{' '}
        {formatCompact(events)} events
      </p>
      <progress aria-label="Progress" value={done} max={Math.max(1, total)} />
    </div>
  );
}
