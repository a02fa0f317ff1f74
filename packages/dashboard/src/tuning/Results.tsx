import type { BacktestHit } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { formatNumber, plural } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DetectorSquare } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { ScoreTable } from './ScoreTable.tsx';
import { type Label, score } from './score.ts';
import type { Preview } from './use-preview.ts';

interface Props {
  readonly preview: Preview;
  readonly labels: ReadonlyMap<string, Label>;
  readonly skipped: readonly string[];
  readonly total: number;
  readonly isMoved: boolean;
  /** Models with settings of their own, as `backend/model`. */
  readonly models: readonly string[];
  /** The control to load more sessions. */
  readonly more: ReactNode;
}

/** Results with current and proposed thresholds by session, and their precision and recall. */
export function Results({ preview, labels, skipped, total, isMoved, models, more }: Props) {
  const rows = Object.entries(preview.hits ?? {}).map(([sessionId, [now = [], proposed = []]]) => ({
    sessionId,
    label: labels.get(sessionId) ?? null,
    now,
    proposed,
    differs: signature(now) !== signature(proposed),
  }));
  const scores = [
    { name: 'current', score: score(rows.map(({ label, now }) => ({ label, hits: now }))) },
    { name: 'proposed', score: score(rows.map(({ label, proposed }) => ({ label, hits: proposed }))) },
  ];
  const differing = rows.filter(({ differs }) => differs).length;
  const shown = rows.toSorted((a, b) => Number(b.differs) - Number(a.differs));
  return (
    <>
      <Card
        title="Preview in this browser"
        note={`${plural(rows.length, 'session')}${rows.length < total ? ` of ${formatNumber(total)}` : ''}${preview.busy ? ', running…' : ''}`}
      >
        {preview.error !== undefined && (
          <p className="mb-3 text-hot" role="alert">
            {preview.error}
          </p>
        )}
        <ScoreTable scores={scores} />
        {more}
        {skipped.length > 0 && (
          <p className="mt-3 text-sm text-ink2">
            Skipped: {plural(skipped.length, 'session')} that the log no longer has in full or that are too
            long for the browser. Backtests include long ones.
          </p>
        )}
        {models.length > 0 && (
          <p className="mt-3 text-sm text-ink2">
            {models.map((label, index) => (
              <Fragment key={label}>
                {index > 0 && ', '}
                <Link className="text-accent underline" to="/settings" search={{ scope: `model:${label}` }}>
                  {label}
                </Link>
              </Fragment>
            ))}{' '}
            {models.length === 1 ? 'has model settings' : 'have model settings'}, which override these
            thresholds.
          </p>
        )}
        <p className="mt-3 text-sm text-ink2" aria-live="polite">
          {isMoved
            ? differing === 0
              ? 'No change for these sessions.'
              : `${plural(differing, 'session')} would have different results.`
            : 'Move a threshold to see what it would change.'}
        </p>
      </Card>
      <Card title="Results by session" note="changed sessions first" flush>
        <ol className="mt-2">
          {shown.map((row) => (
            <li
              className="px-4 py-2 grid grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)_minmax(0,1fr)] gap-3 border-t @max-[560px]/page:grid-cols-2 data-differs:bg-accent-soft"
              key={row.sessionId}
              data-differs={row.differs || undefined}
            >
              <div className="@max-[560px]/page:col-span-full">
                <Link
                  className="truncate text-sm/[1.6] block font-mono font-500 hover:underline"
                  to="/sessions/$id"
                  params={{ id: row.sessionId }}
                >
                  {visibleText(row.sessionId)}
                </Link>
                <small
                  className="text-xs text-ink3 data-[label=loop]:text-warm data-[label=not_loop]:text-ok"
                  data-label={row.label ?? undefined}
                >
                  {row.label === 'loop'
                    ? 'triaged as loop'
                    : row.label === 'not_loop'
                      ? 'triaged as false positive'
                      : 'not triaged'}
                </small>
              </div>
              <Hits name="current" hits={row.now} />
              <Hits name="proposed" hits={row.proposed} />
            </li>
          ))}
        </ol>
      </Card>
    </>
  );
}

function Hits({ name, hits }: { readonly name: string; readonly hits: readonly BacktestHit[] }) {
  return (
    <div className="grid content-start text-sm text-ink2 [&_span]:flex [&_span]:items-center [&_span]:gap-1.5 [&_span]:overflow-hidden [&_span]:whitespace-nowrap">
      <small className="text-xs text-ink3 @min-[561px]/page:in-[li+li]:absolute @min-[561px]/page:in-[li+li]:[clip-path:inset(50%)]">
        {name}
      </small>
      {hits.length === 0 ? (
        <span>no incidents</span>
      ) : (
        hits.slice(0, 3).map((hit) => (
          <span key={`${hit.detector} ${String(hit.eventIndex)}`} title={hit.reason}>
            <DetectorSquare detector={hit.detector} />
            {hit.detector}{' '}
            <em className="not-italic text-xs/[1.6] font-mono font-450 text-ink3">#{hit.eventIndex}</em>
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
