import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { readEvents } from '../api/sessions.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { formatDuration, formatNumber, formatTime } from '../ui/format.ts';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useDragSpan } from '../ui/use-drag-span.ts';
import { useNarrow } from '../ui/use-narrow.ts';
import styles from './SessionLine.module.css';
import { lineOf, loopSpan, type Mark } from './session-marks.ts';

/** The session around the incident, event by event, with the loop shaded. */
export function SessionLine({ incident }: { readonly incident: IncidentDetail }) {
  const { data, error } = useQuery({
    queryKey: ['sessions', 'around', incident.id, incident.lastEventIndex],
    queryFn: ({ signal }) => readEvents(incident.sessionId, { around: incident.id, limit: 400 }, signal),
    placeholderData: (previous) => previous,
    retry: false,
  });
  if (data === undefined) {
    return error === null ? <Skeleton height={118} what="the session" /> : null;
  }
  if (data.items.length === 0) {
    return (
      <Card title="The session around it">
        <p className={styles['gone']}>The log no longer holds the events of this session.</p>
      </Card>
    );
  }
  // The count is as of a summary, which may be a moment behind the log.
  const total = Math.max(data.total, data.items.length);
  return (
    <Card
      title="The session around it"
      note={
        <>
          {data.items.length < total
            ? `${formatNumber(data.items.length)} of ${formatNumber(total)} events; `
            : `all ${formatNumber(total)} events; `}
          <Link
            className={styles['more']}
            to="/sessions/$id"
            params={{ id: incident.sessionId }}
            search={{ at: String(incident.firstEventIndex) }}
          >
            read it from there
          </Link>
        </>
      }
    >
      <Line incident={incident} items={data.items} />
    </Card>
  );
}

const HEIGHT = 58;
const EDGE = 8;

function Line({
  incident,
  items,
}: {
  readonly incident: IncidentDetail;
  readonly items: readonly SessionEvent[];
}) {
  const all = lineOf(items);
  const { from, to } = loopSpan(incident);
  const [zoom, setZoom] = useState<{ readonly first: number; readonly last: number }>();
  const first = zoom?.first ?? all[0]?.index ?? 0;
  const last = Math.max(first + 1, zoom?.last ?? all.at(-1)?.index ?? first + 1);
  const box = useRef<HTMLDivElement>(null);
  // About as many units as there are pixels, so that signs keep their size.
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
  const began = all.find(({ index }) => index >= from)?.time;
  const noticed = incident.verdicts[0]?.time;
  return (
    <div ref={box} data-detector={incident.detector}>
      <svg
        className={styles['line']}
        viewBox={`0 0 ${String(width)} ${String(HEIGHT)}`}
        role="img"
        {...handlers}
        aria-label={`Events ${String(first)} to ${String(last)}; the loop goes from event ${String(from)} to ${String(to)} and was noticed at event ${String(incident.firstEventIndex)}`}
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
          <MarkSign
            key={mark.index}
            mark={mark}
            x={x(mark.index)}
            inLoop={mark.index >= from && mark.index <= to}
          />
        ))}
        {isIn(incident.firstEventIndex) && (
          <line
            className={styles['noticed']}
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
      </svg>
      <p className={styles['notes']}>
        <span>{began === undefined ? `Event ${String(from)}` : `Began ${formatTime(began)}`}</span>
        <span>
          Noticed at event {formatNumber(incident.firstEventIndex)}
          {began !== undefined &&
            noticed !== undefined &&
            `, ${formatDuration(Math.max(0, noticed - began))} after it began`}
        </span>
        <span className={styles['zoom']}>
          {zoom === undefined ? (
            <Button
              small
              quiet
              title="Or drag over the line to look closer"
              onClick={() => setZoom({ first: Math.max(first, from - 2), last: Math.min(last, to + 2) })}
            >
              Only the loop
            </Button>
          ) : (
            <Button small quiet onClick={() => setZoom(undefined)}>
              All of it
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

function MarkSign({
  mark,
  x,
  inLoop,
}: {
  readonly mark: Mark;
  readonly x: number;
  readonly inLoop: boolean;
}) {
  const title = `#${String(mark.index)} ${mark.text}`;
  const common = { className: styles['mark'], 'data-kind': mark.kind, 'data-loop': inLoop || undefined };
  if (mark.kind === 'text') {
    return (
      <rect {...common} x={x - 1} y={32 - mark.size} width="2" height={mark.size * 2} rx="1">
        <title>{title}</title>
      </rect>
    );
  }
  if (mark.kind === 'prompt') {
    return (
      <path {...common} d={`M${String(x - 5)} 6h10l-5 7z`}>
        <title>{title}</title>
      </path>
    );
  }
  if (mark.kind === 'turn') {
    return (
      <line {...common} x1={x} x2={x} y1="44" y2="50">
        <title>{title}</title>
      </line>
    );
  }
  return (
    <circle {...common} cx={x} cy={32} r={mark.kind === 'error' ? 3.2 : 4}>
      <title>{title}</title>
    </circle>
  );
}
