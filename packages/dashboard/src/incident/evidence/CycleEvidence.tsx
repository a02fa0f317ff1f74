import type { EvidenceOf } from '@loopwatch/contract';
import { formatNumber, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Card } from '../../ui/layout/Card.tsx';
import styles from './CycleEvidence.module.css';
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
      <div className={styles['cycle']} data-detector={incident.detector}>
        <CycleRing cycle={cycle} count={incident.count} />
        <ol className={styles['steps']} tabIndex={0}>
          {cycle.map((step, index) => (
            // Steps have no identity but their position.
            <li key={index}>
              <b>{index + 1}</b>
              <div>
                <code>{visibleText(step.name)}</code>
                {step.arguments !== '' && <pre>{visibleText(clamp(prettyJson(step.arguments)))}</pre>}
                {step.text !== '' && (
                  <p>
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
      className={styles['round']}
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
              className={styles['arc']}
              d={`M${path(a)}A${String(RADIUS)} ${String(RADIUS)} 0 ${String(large)} 1 ${path(b)}`}
            />
            <path className={styles['arrow']} d={`M${path(left)}L${path(tip)}L${path(right)}`} />
          </g>
        );
      })}
      {cycle.map(({ name }, index) => {
        const { x, y } = point(angle(index));
        return (
          <g key={index}>
            <circle className={styles['node']} cx={x} cy={y} r={NODE}>
              <title>{name}</title>
            </circle>
            <text className={styles['number']} x={x} y={y + 4.5}>
              {index + 1}
            </text>
          </g>
        );
      })}
      <text className={styles['count']} x={CENTER} y={CENTER + 4}>
        {count}×
      </text>
      <text className={styles['unit']} x={CENTER} y={CENTER + 22}>
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
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
