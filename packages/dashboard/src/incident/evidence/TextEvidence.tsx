import type { Incident } from '@loopwatch/contract';
import { formatNumber, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { RepeatedText } from './RepeatedText.tsx';
import { highlight, type Repetitions, repetitionsOf } from './repetitions.ts';
import type { ViewProps } from './view.ts';

/** Repeated text: its positions in the session, and the text with each repetition marked. */
export function TextEvidence({ incident, evidence }: ViewProps<'content-repeat' | 'thought-repeat'>) {
  const { distance } = evidence;
  const repetitions = repetitionsOf(evidence);
  const { ends, repeated } = repetitions;
  const every = distance === undefined ? '' : `, every ${formatNumber(Math.round(distance))} characters`;
  const what = incident.detector === 'thought-repeat' ? 'reasoning' : 'answer';
  const counted = ends.length < incident.count ? 'the latest' : 'all';
  const spans = highlight(repetitions);
  return (
    <>
      {ends.length > 1 && (
        <Card
          title={`Position in the ${what}`}
          note={`${counted} ${plural(ends.length, 'repetition')}${every}`}
        >
          <Positions incident={incident} repetitions={repetitions} />
        </Card>
      )}
      <RepeatedText text={repeated} detector={incident.detector} />
      {spans.length > 0 && (
        <Card title="Context" note="each repetition is marked">
          <pre
            className="text-sm/[1.65] font-mono font-450 whitespace-pre-wrap wrap-anywhere max-h-105 overflow-auto text-ink2"
            data-detector={incident.detector}
            tabIndex={0}
          >
            {spans.map(({ text, from, repetition }) =>
              repetition === undefined ? (
                <span key={from}>{visibleText(text)}</span>
              ) : (
                <mark
                  className="pl-1 py-px rounded-[3px] text-ink bg-tint-16 shadow-[inset_2px_0_0_var(--hue)] data-odd:bg-tint-8"
                  key={from}
                  data-odd={repetition % 2 === 1 || undefined}
                  title={`Repetition ${String(repetition + 1)} of those shown, at character ${formatNumber(from)}`}
                >
                  {visibleText(text)}
                </mark>
              ),
            )}
          </pre>
        </Card>
      )}
    </>
  );
}

const WIDTH = 720;
const EDGE = 8;

interface PositionsProps {
  readonly incident: Incident;
  readonly repetitions: Repetitions;
}

function Positions({ incident, repetitions: { ends, repeated } }: PositionsProps) {
  const first = (ends[0] ?? 0) - repeated.length;
  const last = Math.max(ends.at(-1) ?? 0, first + 1);
  const x = (offset: number) => EDGE + ((offset - first) / (last - first)) * (WIDTH - 2 * EDGE);
  const text = `${plural(ends.length, 'repetition')} from character ${formatNumber(first)} to ${formatNumber(last)}`;
  return (
    <div className="@container" data-detector={incident.detector}>
      <svg
        className="block w-full h-auto overflow-visible"
        viewBox={`0 0 ${String(WIDTH)} 34`}
        role="img"
        aria-label={text}
      >
        <rect className="fill-tint-9 stroke-tint-22" x="1" y="1" width={WIDTH - 2} height="32" rx="8" />
        {ends.map((end, index) => {
          const begin = Math.max(end - repeated.length, ends[index - 1] ?? first);
          return (
            <rect
              key={end}
              className="fill-tint-70 data-odd:fill-tint-45"
              data-odd={index % 2 === 1 || undefined}
              x={x(begin) + 0.75}
              y="8"
              width={Math.max(2, x(end) - x(begin) - 1.5)}
              height="18"
              rx="2"
            >
              <title>{`Repetition ${String(index + 1)}, from character ${formatNumber(begin)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className="mt-2 flex flex-wrap justify-between gap-x-4 gap-y-0 text-sm text-ink2">
        <span>Character {formatNumber(first)}</span>
        <span>to {formatNumber(last)}</span>
      </p>
    </div>
  );
}
