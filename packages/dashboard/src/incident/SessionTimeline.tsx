import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { readEvents } from '../api/sessions.ts';
import { formatDuration, formatNumber, formatTime } from '../lib/format.ts';
import { useDragSpan } from '../ui/charts/use-drag-span.ts';
import { Button } from '../ui/controls/Button.tsx';
import { MarkPicker } from '../ui/controls/MarkPicker.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { useNarrow } from '../ui/lib/use-narrow.ts';
import styles from './SessionTimeline.module.css';
import { loopSpan, loopStart, type Mark, sessionMarks } from './session-marks.ts';

/** The events around an incident. */
export function useAround(incident: IncidentDetail) {
  return useQuery({
    queryKey: ['sessions', 'around', incident.id, incident.lastEventIndex],
    queryFn: ({ signal }) => readEvents(incident.sessionId, { around: incident.id, limit: 400 }, signal),
    placeholderData: (previous) => previous,
    retry: false,
  });
}

interface Props {
  readonly incident: IncidentDetail;
  /** Opens the session at an event. */
  readonly onOpen: (eventIndex: number) => void;
}

/** The session's events around the incident on a line, with the loop shaded. */
export function SessionTimeline({ incident, onOpen }: Props) {
  const { data, error } = useAround(incident);
  if (data === undefined) {
    return error === null ? <Skeleton height={118} what="the session" /> : null;
  }
  if (data.items.length === 0) {
    return (
      <Card title="Session timeline">
        <p className={styles['gone']}>The log no longer has the events of this session.</p>
      </Card>
    );
  }
  // The total comes from a summary that can lag behind the log.
  const total = Math.max(data.total, data.items.length);
  return (
    <Card
      title="Session timeline"
      note={
        <>
          {data.items.length < total
            ? `${formatNumber(data.items.length)} of ${formatNumber(total)} events; `
            : `all ${formatNumber(total)} events; `}
          <Link
            className={styles['more']}
            to="/sessions/$id"
            params={{ id: incident.sessionId }}
            search={{ at: String(loopStart(incident).eventIndex) }}
          >
            open at the loop start
          </Link>
        </>
      }
    >
      <Line incident={incident} items={data.items} onOpen={onOpen} />
    </Card>
  );
}

const HEIGHT = 68;
const EDGE = 8;

function Line({ incident, items, onOpen }: Props & { readonly items: readonly SessionEvent[] }) {
  const all = sessionMarks(items);
  const { from, to } = loopSpan(incident);
  const [zoom, setZoom] = useState<{ readonly first: number; readonly last: number }>();
  const first = zoom?.first ?? all[0]?.index ?? 0;
  const last = Math.max(first + 1, zoom?.last ?? all.at(-1)?.index ?? first + 1);
  const box = useRef<HTMLDivElement>(null);
  // About one unit per pixel, so that marks keep their size.
  const width = useNarrow(box, 480) ? 320 : 760;
  const inner = width - 2 * EDGE;
  const x = (index: number) =>
    EDGE + ((Math.max(first, Math.min(last, index)) - first) / (last - first)) * inner;
  const indexAt = (share: number) => first + ((share * width - EDGE) / inner) * (last - first);
  const { span, handlers } = useDragSpan((dragged) =>
    setZoom({
      first: Math.max(first, Math.floor(indexAt(dragged.from))),
      last: Math.min(last, Math.ceil(indexAt(dragged.to))),
    }),
  );
  const marks = all.filter(({ index }) => index >= first && index <= last);
  const isIn = (index: number) => index >= first && index <= last;
  const began = loopStart(incident).time;
  const detectedAt = incident.verdicts[0]?.time;
  const label = `Events ${String(first)} to ${String(last)}; the loop runs from event ${String(from)} to ${String(to)} and was detected at event ${String(incident.firstEventIndex)}`;
  const picked = marks.map((mark) => ({
    at: x(mark.index) / width,
    text: markTitle(mark),
    eventIndex: mark.index,
  }));
  return (
    <div ref={box} data-detector={incident.detector}>
      <MarkPicker label={label} marks={picked} onOpen={onOpen}>
        <svg
          className={styles['line']}
          viewBox={`0 0 ${String(width)} ${String(HEIGHT)}`}
          role="img"
          {...handlers}
          aria-label={label}
        >
          {from <= last && to >= first && (
            <rect
              className={styles['loop']}
              x={x(from) - 5}
              y="2"
              width={Math.max(12, x(to) - x(from) + 10)}
              height={HEIGHT - 4}
              rx="8"
            />
          )}
          <line className={styles['axis']} x1={EDGE} x2={width - EDGE} y1="32" y2="32" />
          {marks.map((mark) => (
            <MarkShape
              key={mark.index}
              mark={mark}
              x={x(mark.index)}
              inLoop={mark.index >= from && mark.index <= to}
            />
          ))}
          {isIn(incident.firstEventIndex) && (
            <line
              className={styles['detected']}
              x1={x(incident.firstEventIndex)}
              x2={x(incident.firstEventIndex)}
              y1="0"
              y2={HEIGHT}
            />
          )}
          {span !== undefined && (
            <rect
              className={styles['drag']}
              x={span.from * width}
              width={(span.to - span.from) * width}
              y="0"
              height={HEIGHT}
            />
          )}
          {labelsOf(marks, x).map(({ mark, name }) => (
            <text key={mark.index} className={styles['name']} x={x(mark.index)} y={HEIGHT - 2}>
              {name}
            </text>
          ))}
        </svg>
      </MarkPicker>
      <p className={styles['notes']}>
        <span>
          Began at event {formatNumber(from)}, {formatTime(began)}
        </span>
        <span>
          Detected at event {formatNumber(incident.firstEventIndex)}
          {detectedAt !== undefined && `, ${formatDuration(Math.max(0, detectedAt - began))} after it began`}
        </span>
        <span className={styles['zoom']}>
          {zoom === undefined ? (
            <Button
              small
              quiet
              title="Or drag across the timeline to zoom in"
              onClick={() => setZoom({ first: Math.max(first, from - 2), last: Math.min(last, to + 2) })}
            >
              Zoom to loop
            </Button>
          ) : (
            <Button small quiet onClick={() => setZoom(undefined)}>
              Reset zoom
            </Button>
          )}
        </span>
        <span className={styles['legend']}>
          <i data-kind="prompt" /> prompt <i data-kind="turn" /> turn <i data-kind="call" /> call{' '}
          <i data-kind="error" /> error <i data-kind="text" /> text
        </span>
      </p>
    </div>
  );
}

function markTitle({ index, kind, text, details, failed, time }: Mark): string {
  const what =
    kind === 'call' || kind === 'turn' || text === '' ? (text === '' ? kind : text) : `${kind}: ${text}`;
  return `#${String(index)} ${formatTime(time)}, ${what}${details === '' ? '' : ` ${details}`}${failed ? ', failed' : ''}`;
}

/** Width of a letter, in units of the view box. */
const LETTER_WIDTH = 5.2;
const MAX_LETTERS = 14;

/** Names of calls that fit without overlap; a name repeated in a row appears once. */
function labelsOf(marks: readonly Mark[], x: (index: number) => number): { mark: Mark; name: string }[] {
  let labelEnd = -Infinity;
  let previousName = '';
  return marks.flatMap((mark) => {
    if (mark.kind !== 'call' || mark.text === previousName) return [];
    const name = mark.text.length > MAX_LETTERS ? `${mark.text.slice(0, MAX_LETTERS - 1)}…` : mark.text;
    const half = (name.length * LETTER_WIDTH) / 2;
    if (x(mark.index) - half < labelEnd) return [];
    labelEnd = x(mark.index) + half + LETTER_WIDTH;
    previousName = mark.text;
    return { mark, name };
  });
}

function MarkShape({
  mark,
  x,
  inLoop,
}: {
  readonly mark: Mark;
  readonly x: number;
  readonly inLoop: boolean;
}) {
  const common = {
    className: styles['mark'],
    'data-kind': mark.kind,
    'data-loop': inLoop || undefined,
    'data-failed': mark.failed || undefined,
  };
  if (mark.kind === 'text') {
    return <rect {...common} x={x - 1} y={32 - mark.size} width="2" height={mark.size * 2} rx="1" />;
  }
  if (mark.kind === 'prompt') {
    return <path {...common} d={`M${String(x - 5)} 6h10l-5 7z`} />;
  }
  if (mark.kind === 'turn') {
    return <line {...common} x1={x} x2={x} y1="44" y2="50" />;
  }
  return <circle {...common} cx={x} cy={32} r={mark.kind === 'error' ? 3.2 : 4} />;
}
