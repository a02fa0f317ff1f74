import type { BacktestHit } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import styles from './Results.module.css';
import { ScoreTable } from './ScoreTable.tsx';
import { type Label, score } from './score.ts';
import type { Trial } from './use-trial.ts';

interface Props {
  readonly trial: Trial;
  readonly labels: ReadonlyMap<string, Label>;
  readonly left: readonly string[];
  readonly total: number;
  readonly isMoved: boolean;
  /** Those that set something of their own, as `backend/model`. */
  readonly models: readonly string[];
  /** Reads further sessions. */
  readonly more: ReactNode;
}

/** What the detectors find now and would find, session by session, and how right that is. */
export function Results({ trial, labels, left, total, isMoved, models, more }: Props) {
  const rows = Object.entries(trial.hits ?? {}).map(([sessionId, [now = [], tried = []]]) => ({
    sessionId,
    label: labels.get(sessionId) ?? null,
    now,
    tried,
    differs: signature(now) !== signature(tried),
  }));
  const scores = [
    { name: 'now', score: score(rows.map(({ label, now }) => ({ label, hits: now }))) },
    { name: 'tried', score: score(rows.map(({ label, tried }) => ({ label, hits: tried }))) },
  ];
  const differing = rows.filter(({ differs }) => differs).length;
  const shown = rows.toSorted((a, b) => Number(b.differs) - Number(a.differs));
  return (
    <>
      <Card
        title="At once, in this browser"
        note={`${plural(rows.length, 'session')}${rows.length < total ? ` of ${formatNumber(total)}` : ''}${trial.busy ? ', running…' : ''}`}
      >
        {trial.error !== undefined && (
          <p className={styles['error']} role="alert">
            {trial.error}
          </p>
        )}
        <ScoreTable scores={scores} />
        {more}
        {left.length > 0 && (
          <p className={styles['left']}>
            Left out: {plural(left.length, 'session')} that the log no longer holds whole, or that are too
            long for the page. A backtest tries long ones, too.
          </p>
        )}
        {models.length > 0 && (
          <p className={styles['left']}>
            {models.map((label, index) => (
              <Fragment key={label}>
                {index > 0 && ', '}
                <Link to="/settings" search={{ scope: `model:${label}` }}>
                  {label}
                </Link>
              </Fragment>
            ))}{' '}
            {models.length === 1 ? 'has settings of its own' : 'have settings of their own'}, which lie over
            the thresholds here as over the server’s.
          </p>
        )}
        <p className={styles['left']} aria-live="polite">
          {isMoved
            ? differing === 0
              ? 'Nothing would change for these sessions.'
              : `${plural(differing, 'session')} would be judged differently.`
            : 'Move a threshold to see what it would change.'}
        </p>
      </Card>
      <Card title="Session by session" note="those that would change come first" flush>
        <ol className={styles['list']}>
          {shown.map((row) => (
            <li key={row.sessionId} data-differs={row.differs || undefined}>
              <div className={styles['who']}>
                <Link to="/sessions/$id" params={{ id: row.sessionId }}>
                  {visibleText(row.sessionId)}
                </Link>
                <small data-label={row.label ?? undefined}>
                  {row.label === 'loop'
                    ? 'a loop, people say'
                    : row.label === 'not_loop'
                      ? 'false positive, by triage'
                      : 'not judged'}
                </small>
              </div>
              <Hits name="now" hits={row.now} />
              <Hits name="tried" hits={row.tried} />
            </li>
          ))}
        </ol>
      </Card>
    </>
  );
}

function Hits({ name, hits }: { readonly name: string; readonly hits: readonly BacktestHit[] }) {
  return (
    <div className={styles['hits']}>
      <small>{name}</small>
      {hits.length === 0 ? (
        <span>silent</span>
      ) : (
        hits.slice(0, 3).map((hit) => (
          <span key={`${hit.detector} ${String(hit.eventIndex)}`} title={hit.reason}>
            <DetectorSquare detector={hit.detector} />
            {hit.detector} <em>#{hit.eventIndex}</em>
          </span>
        ))
      )}
      {hits.length > 3 && <span>and {hits.length - 3} more</span>}
    </div>
  );
}

function signature(hits: readonly BacktestHit[]): string {
  return hits.map(({ detector, eventIndex }) => `${detector} ${String(eventIndex)}`).join(', ');
}
