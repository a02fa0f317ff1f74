import type { ScopeSettings, SettingKey } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { apiPath } from '../api/client.ts';
import { scopeQuery, settingsQuery } from '../api/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { plural } from '../lib/format.ts';
import { omit } from '../lib/omit.ts';
import { valueOf, valuesOf } from '../lib/search.ts';
import { allTime, readRange, type TimeRange, writeRange } from '../lib/time-range.ts';
import { Page } from '../page/Page.tsx';
import { writeSet } from '../settings/address.ts';
import { Button } from '../ui/controls/Button.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { BacktestCard } from './BacktestCard.tsx';
import { readMoved, serverValues, type Values } from './config.ts';
import { LoadMore } from './LoadMore.tsx';
import { Results } from './Results.tsx';
import { ThresholdCard } from './ThresholdCard.tsx';
import { modelsOf, useModelSettings } from './use-model-settings.ts';
import { usePreview } from './use-preview.ts';
import { type SessionSelection, type Source, useRecordings, useSessionSelection } from './use-recordings.ts';

/** Previews other thresholds: in the browser for some sessions, as a server job for many. */
export function TuningPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const ids = valuesOf(search, 'session');
  const requested = valueOf(search, 'of');
  const { range, ignored } = useMemo(() => readRange(search, allTime), [search]);
  const judged = useSessionSelection({ kind: 'judged', range });
  // Without a choice in the URL, the tab that has sessions.
  const standard = judged.data?.ids.length === 0 ? 'recent' : 'judged';
  const kind: Source['kind'] =
    ids.length > 0 ? 'chosen' : requested === 'recent' || requested === 'judged' ? requested : standard;
  const source: Source = kind === 'chosen' ? { kind, ids: [...ids] } : { kind, range };
  const chosen = useSessionSelection(source);
  const settings = useQuery(settingsQuery);
  const server = useQuery(scopeQuery('server'));
  return (
    <Page
      title="Tuning"
      note="preview only; live settings change when you apply"
      actions={
        <>
          {kind !== 'chosen' && (
            <TimeRangePicker
              all
              range={range}
              onChange={(next) =>
                void navigate({ to: '/tuning', search: { ...search, ...writeRange(next, allTime) } })
              }
            />
          )}
          <a
            className="button"
            href={apiPath('/exports/labels.jsonl')}
            title="Labels of triaged sessions, in the format of npm run eval"
            download
          >
            <Icon name="download" size={14} />
            Export labels
          </a>
        </>
      }
    >
      <UnknownParams parts={ignored} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink3">
        <Segments
          label="Sessions"
          value={kind}
          options={[
            { value: 'judged', text: 'Triaged' },
            { value: 'recent', text: 'Recent' },
            ...(kind === 'chosen'
              ? [{ value: 'chosen' as const, text: plural(ids.length, 'selected session') }]
              : []),
          ]}
          onChange={(next) =>
            next !== 'chosen' &&
            void navigate({ to: '/tuning', search: { ...omit(search, 'session'), of: next } })
          }
        />
        <span>
          {kind === 'judged'
            ? 'sessions with an incident acknowledged (loop) or marked as a false positive (not a loop)'
            : kind === 'recent'
              ? 'most recent sessions, triaged or not'
              : 'from the URL of this page'}
        </span>
      </div>
      <Async query={chosen} what="the sessions" skeleton={<Skeleton height={420} what="the sessions" />}>
        {(sessions) =>
          sessions.ids.length === 0 ? (
            <EmptyState>
              <Message
                title={emptyTitle(kind, range)}
                action={
                  kind === 'judged' ? (
                    <Button
                      onClick={() => void navigate({ to: '/tuning', search: { ...search, of: 'recent' } })}
                    >
                      Use recent sessions
                    </Button>
                  ) : (
                    <Link className="text-accent font-550" to="/sessions">
                      Go to sessions
                    </Link>
                  )
                }
              >
                <p>
                  {kind === 'judged'
                    ? 'Acknowledge incidents that are loops and mark the others as false positives. This page then measures precision and recall.'
                    : 'You can try thresholds once sessions arrive.'}
                </p>
              </Message>
            </EmptyState>
          ) : (
            <Async
              query={settings}
              what="the settings"
              skeleton={<Skeleton height={420} what="the settings" />}
            >
              {({ keys }) => (
                <Async
                  query={server}
                  what="the settings"
                  skeleton={<Skeleton height={420} what="the settings" />}
                >
                  {(now) => <Preview sessions={sessions} source={source} keys={keys} now={now} />}
                </Async>
              )}
            </Async>
          )
        }
      </Async>
    </Page>
  );
}

function emptyTitle(kind: Source['kind'], range: TimeRange): string {
  const when = range.kind === 'all' ? 'yet' : 'in this time range';
  return kind === 'judged' ? `No triaged sessions ${when}` : `No sessions ${when}`;
}

interface PreviewProps {
  readonly sessions: SessionSelection;
  readonly source: Source;
  readonly keys: readonly SettingKey[];
  readonly now: ScopeSettings;
}

function Preview({ sessions, source, keys, now }: PreviewProps) {
  const base = useMemo(() => serverValues(now.effective, keys), [now, keys]);
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const moved = useMemo(() => readMoved(valuesOf(search, 'set'), keys), [search, keys]);
  const setMoved = (next: Values) =>
    void navigate({ to: '/tuning', search: { ...search, set: writeSet(next) }, replace: true });
  const proposed = useMemo(() => ({ ...base, ...moved }), [base, moved]);
  const variants = useMemo(() => [base, proposed], [base, proposed]);
  const recordings = useRecordings(sessions.ids);
  const models = useModelSettings(recordings.data?.recordings, now.effective, keys);
  const scopes = useMemo(
    () => [
      ...modelsOf(recordings.data?.recordings ?? []).map((label) => `model:${label}`),
      ...(source.kind === 'chosen' ? source.ids.map((id) => `session:${id}`) : []),
    ],
    [recordings.data, source],
  );
  const preview = usePreview(recordings.data?.recordings, variants, models);
  return (
    <div className="grid grid-cols-[340px_minmax(0,1fr)] items-start gap-4 @max-[860px]/page:grid-cols-1">
      <div className="grid grid-cols-1 gap-4">
        <ThresholdCard
          keys={keys}
          effective={now.effective}
          moved={moved}
          onMove={setMoved}
          scopes={scopes}
        />
        <BacktestCard source={source} sessions={sessions} moved={moved} />
      </div>
      <div className="grid grid-cols-1 gap-4">
        {recordings.error !== null && recordings.data === undefined ? (
          <Card title="Result">
            <Message
              title="Could not load the sessions"
              tone="hot"
              action={<Button onClick={recordings.retry}>Retry</Button>}
            >
              <p>{errorText(recordings.error)}</p>
            </Message>
          </Card>
        ) : preview.hits === undefined && preview.error === undefined ? (
          <>
            <LoadMore recordings={recordings} />
            <Skeleton height={420} what="the sessions and running the detectors" />
          </>
        ) : (
          <Results
            preview={preview}
            labels={sessions.labels}
            skipped={recordings.data?.skipped ?? []}
            total={sessions.total}
            isMoved={Object.keys(moved).length > 0}
            models={Object.keys(models ?? {})}
            more={<LoadMore recordings={recordings} />}
          />
        )}
      </div>
    </div>
  );
}
