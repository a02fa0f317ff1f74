import { ringShape } from './ring-arcs.ts';

const { dots } = ringShape({ count: 0, threshold: 1, period: 3 }, 11, 7.5);

/** The logo: a ring without a count. */
export function Mark() {
  return (
    <svg
      className="block flex-none overflow-visible"
      width="22"
      height="22"
      viewBox="0 0 22 22"
      strokeWidth="1.8"
      aria-hidden="true"
    >
      <circle className="fill-none stroke-line2" cx="11" cy="11" r="7.5" />
      {dots.map(({ x, y }) => (
        <circle key={x} className="fill-panel stroke-accent" cx={x} cy={y} r="2.5" />
      ))}
    </svg>
  );
}
