import type { EvidenceOf } from '@loopwatch/contract';
import { formatNumber, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { prettyJson } from './diff.ts';
import type { ViewProps } from './view.ts';

type Cycle = EvidenceOf<'tool-cycle'>['cycle'];

/** A cycle of calls drawn as a ring, and the arguments and result of each step. */
export function CycleEvidence({ incident, evidence: { cycle } }: ViewProps<'tool-cycle'>) {
  const times = formatNumber(incident.count);
  return (
    <Card
      title="Cycle"
      note={`${plural(cycle.length, 'step')}, repeated ${times} ${incident.count === 1 ? 'time' : 'times'}`}
    >
      <div
        className="grid grid-cols-[200px_minmax(0,1fr)] items-center gap-6 @max-[480px]:grid-cols-1"
        data-detector={incident.detector}
      >
        <CycleRing cycle={cycle} count={incident.count} />
        <ol
          className="grid gap-3 max-h-105 overflow-auto [&_p_span]:font-sans [&_p_span]:text-ink3"
          tabIndex={0}
        >
          {cycle.map((step, index) => (
            // Steps have no identity but their position.
            <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-2" key={index}>
              <b className="border-[1.5px] border-(--hue) size-5.5 rounded-full text-xs leading-4.75 text-center">
                {index + 1}
              </b>
              <div>
                <code className="text-base/[1.7] font-mono font-550">{visibleText(step.name)}</code>
                {step.arguments !== '' && (
                  <pre className="text-sm/[1.55] font-mono font-450 text-ink2 whitespace-pre-wrap wrap-anywhere">
                    {visibleText(clamp(prettyJson(step.arguments)))}
                  </pre>
                )}
                {step.text !== '' && (
                  <p className="mt-0.75 text-sm/[1.55] font-mono font-450 text-ink2 whitespace-pre-wrap wrap-anywhere">
                    <span>always returns</span> {visibleText(clamp(step.text))}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}

const SIZE = 210;
const CENTER = SIZE / 2;
const RADIUS = 74;
const NODE = 16;

function CycleRing({ cycle, count }: { readonly cycle: Cycle; readonly count: number }) {
  const steps = cycle.length;
  const angle = (index: number) => (2 * Math.PI * index) / steps - Math.PI / 2;
  const point = (radians: number, radius = RADIUS) => ({
    x: CENTER + radius * Math.cos(radians),
    y: CENTER + radius * Math.sin(radians),
  });
  const gap = (NODE + 7) / RADIUS;
  return (
    <svg
      viewBox={`0 0 ${String(SIZE)} ${String(SIZE)}`}
      className="mx-auto my-0 block w-full max-w-52.5"
      role="img"
      aria-label={`Cycle of ${String(steps)} steps: ${cycle.map(({ name }) => name).join(', then ')}, then again`}
    >
      {cycle.map((_, index) => {
        const from = angle(index) + gap;
        const to = angle(index + 1) - gap;
        const a = point(from);
        const b = point(to);
        const tip = point(to + 0.02);
        const left = point(to - 0.1, RADIUS - 6);
        const right = point(to - 0.1, RADIUS + 6);
        const large = to - from > Math.PI ? 1 : 0;
        return (
          <g key={index}>
            <path
              className="fill-none stroke-tint-60 stroke-2 [stroke-linecap:round] [stroke-linejoin:round]"
              d={`M${path(a)}A${String(RADIUS)} ${String(RADIUS)} 0 ${String(large)} 1 ${path(b)}`}
            />
            <path
              className="fill-none stroke-tint-60 stroke-2 [stroke-linecap:round] [stroke-linejoin:round]"
              d={`M${path(left)}L${path(tip)}L${path(right)}`}
            />
          </g>
        );
      })}
      {cycle.map(({ name }, index) => {
        const { x, y } = point(angle(index));
        return (
          <g key={index}>
            <circle className="fill-tint-12 stroke-(--hue) stroke-[1.8]" cx={x} cy={y} r={NODE}>
              <title>{name}</title>
            </circle>
            <text className="fill-ink [text-anchor:middle] text-[13px] font-640" x={x} y={y + 4.5}>
              {index + 1}
            </text>
          </g>
        );
      })}
      <text
        className="fill-ink [text-anchor:middle] font-640 text-[26px] tracking-[-0.02em]"
        x={CENTER}
        y={CENTER + 4}
      >
        {count}×
      </text>
      <text className="[text-anchor:middle] fill-ink3 text-[11px] font-450" x={CENTER} y={CENTER + 22}>
        in a row
      </text>
    </svg>
  );
}

function path({ x, y }: { readonly x: number; readonly y: number }): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

const MAX_CHARACTERS = 400;

function clamp(text: string): string {
  return text.length < MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
