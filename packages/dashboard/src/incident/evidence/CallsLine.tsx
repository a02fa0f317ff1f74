import { formatDuration, formatTime, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { MarkPicker } from '../../ui/controls/MarkPicker.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { isFailed } from './CallResult.tsx';
import { callsLine, type LoopStep, stepsOf, totalOf } from './calls-line.ts';
import type { ViewProps } from './view.ts';

type Props = ViewProps<'tool-repeat'>;

/** All steps of a loop on a line, with a mark where it was detected. */
export function CallsLine({ incident, evidence, onOpen }: Props) {
  const { calls, matching, callsPerStep = 1 } = evidence;
  const steps = stepsOf(calls, incident.count);
  const { detectedAt } = callsLine(steps, incident, WIDE.maxDots);
  const total = totalOf(steps, incident.count);
  const began = incident.began?.time ?? calls[0]?.time;
  const opening = incident.verdicts[0];
  const delay = began !== undefined && opening !== undefined ? opening.time - began : undefined;
  const soFar = incident.state === 'open' ? ' so far' : '';
  const evidenceNote = steps.length < total ? '; large dots have stored evidence' : '';
  const unit = callsPerStep > 1 ? 'step' : 'call';
  const each = callsPerStep > 1 ? ` of ${plural(callsPerStep, 'call')} each` : '';
  return (
    <Card
      title={`${capital(unit)}s in the loop`}
      note={`${plural(total, `${matching === 'similar' ? 'similar' : 'identical'} ${unit}`)}${each}${soFar}${evidenceNote}`}
    >
      <div
        className="@container [&_svg]:block [&_svg]:w-full [&_svg]:h-auto [&_svg]:overflow-visible"
        data-detector={incident.detector}
      >
        <div className="hidden @min-[480px]:block">
          <Line incident={incident} evidence={evidence} shape={WIDE} onOpen={onOpen} />
        </div>
        <div className="@min-[480px]:hidden">
          <Line incident={incident} evidence={evidence} shape={NARROW} onOpen={onOpen} />
        </div>
        <p className="mt-2 flex flex-wrap justify-between gap-x-4 gap-y-0 text-sm text-ink2">
          <span>{began === undefined ? `${capital(unit)} 1` : `Began ${formatTime(began)}`}</span>
          <span>
            Detected at {unit} {detectedAt}
            {delay !== undefined && delay >= 0 && `, ${formatDuration(delay)} after it began`}
          </span>
        </p>
      </div>
    </Card>
  );
}

interface Shape {
  readonly width: number;
  readonly maxDots: number;
}

const WIDE: Shape = { width: 736, maxDots: 34 };
const NARROW: Shape = { width: 330, maxDots: 14 };
const EDGE = 20;
/** Width of the gap for skipped steps, in steps. */
const GAP = 3;
/** Vertical layout of the calls of a step: start, distance, and how many are drawn. */
const TOP = 24;
const APART = 13;
const MAX_DRAWN = 4;

function Line({
  incident,
  evidence: { calls, callsPerStep = 1 },
  shape: { width, maxDots },
  onOpen,
}: Props & { readonly shape: Shape }) {
  const loop = stepsOf(calls, incident.count);
  const { dots, skipped, skippedAfter, detectedAt } = callsLine(loop, incident, maxDots);
  const gaps = Math.max(1, dots.length - 1 + (skippedAfter === undefined ? 0 : GAP - 1));
  const apart = (width - 2 * EDGE) / gaps;
  const x = (index: number) => EDGE + apart * (index >= (skippedAfter ?? Infinity) ? index + GAP - 1 : index);
  const detectedIndex = dots.findIndex(({ isDetected }) => isDetected);
  const total = totalOf(loop, incident.count);
  const batch = callsPerStep > 1;
  const drawn = Math.min(MAX_DRAWN, callsPerStep);
  const height = 44 + (drawn - 1) * APART;
  const middle = TOP + ((drawn - 1) * APART) / 2;
  const name = calls[0]?.name ?? 'a tool';
  const text = batch
    ? `${plural(total, 'step')} of ${plural(callsPerStep, 'call')} each, detected at step ${String(detectedAt)}`
    : `${plural(total, 'call')} of ${name}, detected at call ${String(detectedAt)}`;
  const marks = dots.map(({ ordinal, step }, index) => ({
    at: x(index) / width,
    text: dotTitle(ordinal, step, batch),
    eventIndex: step?.calls[0]?.eventIndex,
  }));
  return (
    <MarkPicker label={text} marks={marks} onOpen={onOpen}>
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} role="img" aria-label={text}>
        <rect
          className="fill-tint-9 stroke-tint-22"
          x="1"
          y="1"
          width={width - 2}
          height={height - 2}
          rx="9"
        />
        <line className="stroke-tint-35" x1={x(0)} x2={x(dots.length - 1)} y1={middle} y2={middle} />
        {dots.map(({ ordinal }, index) => {
          if (index === 0 || index === skippedAfter) return null;
          const from = x(index - 1) + 3;
          const to = x(index) - 3;
          return (
            <path
              key={ordinal}
              className="fill-none stroke-(--hue) opacity-45"
              d={`M${String(from)} 17Q${String((from + to) / 2)} 4 ${String(to)} 17`}
            />
          );
        })}
        {skippedAfter !== undefined && (
          <g>
            <rect
              className="fill-panel stroke-tint-35"
              x={x(skippedAfter - 1) + apart * 0.7}
              y={middle - 11}
              width={apart * (GAP - 1.4)}
              height="22"
              rx="11"
            />
            <text
              className="fill-ink2 text-[11px] font-600 [text-anchor:middle]"
              x={x(skippedAfter - 1) + (apart * GAP) / 2}
              y={middle + 4}
            >
              +{skipped}
            </text>
          </g>
        )}
        {detectedIndex >= 0 && (
          <line
            className="stroke-ink stroke-[1.2] [stroke-dasharray:3_3]"
            x1={x(detectedIndex)}
            x2={x(detectedIndex)}
            y1="0"
            y2={height}
          />
        )}
        {dots.map(({ ordinal, step, isDetected }, index) => (
          <g key={ordinal} data-step={ordinal}>
            {batch && (
              <rect
                className="fill-tint-14 stroke-tint-35"
                x={x(index) - 8}
                y={TOP - 9}
                width="16"
                height={(drawn - 1) * APART + 18}
                rx="8"
              />
            )}
            {Array.from({ length: drawn }, (_, member) => (
              <circle
                key={member}
                className="fill-panel stroke-(--hue) stroke-[1.7] data-detected:fill-(--hue) data-failed:stroke-hot data-failed:data-detected:fill-hot"
                data-detected={isDetected || undefined}
                data-failed={isFailed(step?.calls[member]?.result) || undefined}
                cx={x(index)}
                cy={TOP + member * APART}
                r={step === undefined ? 3.4 : 5.4}
              />
            ))}
          </g>
        ))}
      </svg>
    </MarkPicker>
  );
}

function dotTitle(ordinal: number, step: LoopStep | undefined, batch: boolean): string {
  const parts = [`${batch ? 'Step' : 'Call'} ${String(ordinal)}`];
  const [first] = step?.calls ?? [];
  if (first !== undefined) parts.push(formatTime(first.time), `event #${String(first.eventIndex)}`);
  const calls = (step?.calls ?? [])
    .slice(0, MAX_DRAWN)
    .map((call) => clamp(`${call.name} ${call.arguments}`));
  if (step === undefined) parts.push('no stored evidence');
  if (isFailed(first?.result)) parts.push('failed');
  return visibleText([parts.join(', '), ...calls].join(' · '));
}

const TIP_CHARACTERS = 90;

function clamp(text: string): string {
  return text.length > TIP_CHARACTERS ? `${text.slice(0, TIP_CHARACTERS)}…` : text;
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
