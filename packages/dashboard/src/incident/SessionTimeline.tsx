import type { IncidentDetail, SessionEvent } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { readEvents } from '../api/sessions.ts';
import { formatDuration, formatNumber, formatTime, nounOf } from '../lib/format.ts';
import { eventSearch } from '../session/loop-link.ts';
import { useDragSpan } from '../ui/charts/use-drag-span.ts';
import { Button } from '../ui/controls/Button.tsx';
import { MarkPicker } from '../ui/controls/MarkPicker.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { useNarrow } from '../ui/lib/use-narrow.ts';
import { callLabels, loopSpan, loopStart, type Mark, sessionMarks } from './session-marks.ts';

/** The events around an incident. */
export function useAround(incident: IncidentDetail) {
  return useQuery({
    queryKey: ['sessions', 'around', incident.id, incident.lastEventIndex],
    queryFn: ({ signal }) => readEvents(incident.sessionId, { around: incident.id, limit: 400 }, signal),
    placeholderData: (previous) => previous,
    retry: false,
    // An incident that the server opened itself has no position in the log.
    enabled: incident.source !== null,
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
  if (incident.source === null) return null;
  if (data === undefined) {
    return error === null ? <Skeleton height={118} what="the session" /> : null;
  }
  if (data.items.length === 0) {
    return (
      <Card title="Session timeline">
        <p className="text-ink2">The log no longer has the events of this session.</p>
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
            className="text-accent"
            to="/sessions/$id"
            params={{ id: incident.sessionId }}
            search={eventSearch(incident, loopStart(incident).eventIndex)}
          >
            open at the start of the {nounOf(incident)}
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
  const label = `Events ${String(first)} to ${String(last)}; the ${nounOf(incident)} runs from event ${String(from)} to ${String(to)} and was detected at event ${String(incident.firstEventIndex)}`;
  const picked = marks.map((mark) => ({
    at: x(mark.index) / width,
    text: markTitle(mark),
    eventIndex: mark.index,
  }));
  return (
    <div ref={box} data-detector={incident.detector}>
      <MarkPicker label={label} marks={picked} onOpen={onOpen}>
        <svg
          className="block w-full h-auto overflow-visible cursor-crosshair touch-pan-y select-none"
          viewBox={`0 0 ${String(width)} ${String(HEIGHT)}`}
          role="img"
          {...handlers}
          aria-label={label}
        >
          {from <= last && to >= first && (
            <rect
              className="fill-tint-11 stroke-tint-26"
              x={x(from) - 5}
              y="2"
              width={Math.max(12, x(to) - x(from) + 10)}
              height={HEIGHT - 4}
              rx="8"
            />
          )}
          <line className="stroke-line2" x1={EDGE} x2={width - EDGE} y1="32" y2="32" />
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
              className="stroke-ink stroke-[1.2] [stroke-dasharray:3_3]"
              x1={x(incident.firstEventIndex)}
              x2={x(incident.firstEventIndex)}
              y1="0"
              y2={HEIGHT}
            />
          )}
          {span !== undefined && (
            <rect
              className="fill-accent/18"
              x={span.from * width}
              width={(span.to - span.from) * width}
              y="0"
              height={HEIGHT}
            />
          )}
          {callLabels(marks, x, width).map(({ mark, name, at }) => (
            <text
              key={mark.index}
              className="fill-ink3 text-[9px] [text-anchor:middle]"
              x={at}
              y={HEIGHT - 2}
            >
              {name}
            </text>
          ))}
        </svg>
      </MarkPicker>
      <p className="mt-2 flex flex-wrap justify-between gap-x-4 gap-y-0.5 items-center text-sm text-ink2">
        <span>
          Began at event {formatNumber(from)}, {formatTime(began)}
        </span>
        <span>
          Detected at event {formatNumber(incident.firstEventIndex)}
          {detectedAt !== undefined && `, ${formatDuration(Math.max(0, detectedAt - began))} after it began`}
        </span>
        <span className="ml-auto">
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
        <span className="text-ink3 whitespace-nowrap [&_i]:forced-color-adjust-none [&_i]:mr-0.5 [&_i]:ml-1.5 [&_i]:my-0 [&_i]:border-[1.4px] [&_i]:border-ink3 [&_i]:size-2 [&_i]:inline-block [&_i]:rounded-full [&_i]:data-[kind=prompt]:border-0 [&_i]:data-[kind=prompt]:rounded-[2px] [&_i]:data-[kind=prompt]:bg-accent [&_i]:data-[kind=error]:border-0 [&_i]:data-[kind=error]:bg-hot [&_i]:data-[kind=turn]:border-0 [&_i]:data-[kind=turn]:w-0.5 [&_i]:data-[kind=turn]:rounded-none [&_i]:data-[kind=turn]:bg-ink3 [&_i]:data-[kind=text]:border-0 [&_i]:data-[kind=text]:w-0.75 [&_i]:data-[kind=text]:rounded-[1px] [&_i]:data-[kind=text]:bg-line2">
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
    className:
      'fill-panel stroke-ink3 stroke-[1.4] data-loop:stroke-(--hue) data-failed:data-loop:stroke-hot data-[kind=text]:fill-line2 data-[kind=text]:stroke-none data-[kind=prompt]:fill-accent data-[kind=prompt]:stroke-none data-[kind=error]:fill-hot not-data-failed:data-[kind=error]:stroke-none data-failed:fill-hot data-failed:stroke-hot data-[kind=call]:data-loop:fill-(--hue) data-[kind=text]:data-loop:fill-tint-60 data-[kind=call]:data-failed:data-loop:fill-hot data-[kind=call]:data-failed:data-loop:stroke-hot',
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
