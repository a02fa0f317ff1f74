import { formatNumber } from '../lib/format.ts';

interface Props {
  /** In this period and the previous one; null if unknown. */
  readonly now: number | null;
  readonly before: number | null | undefined;
}

/** How an amount compares with the period before: an arrow and a percentage, in words for screen readers. */
export function Change({ now, before }: Props) {
  if (before === undefined || now === null || (now === 0 && !before)) return null;
  if (before === null || before === 0) {
    return (
      <small
        className="block relative text-xs text-ink3 whitespace-nowrap data-[way=up]:text-hot data-[way=down]:text-ok"
        data-way="up"
        title="None in the previous period"
      >
        new
      </small>
    );
  }
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) {
    return (
      <small className="block relative text-xs text-ink3 whitespace-nowrap data-[way=up]:text-hot data-[way=down]:text-ok">
        <span aria-hidden="true">0%</span>
        <span className="sr-only">unchanged</span>
      </small>
    );
  }
  const up = percent > 0;
  // A large percentage is hard to read, and comes of hardly anything before.
  const size = percent >= 1_000 ? `to ${formatNumber(now / before)}×` : `${formatNumber(Math.abs(percent))}%`;
  return (
    <small
      className="block relative text-xs text-ink3 whitespace-nowrap data-[way=up]:text-hot data-[way=down]:text-ok"
      data-way={up ? 'up' : 'down'}
    >
      <span aria-hidden="true">
        {up ? '↑' : '↓'} {size}
      </span>
      <span className="sr-only">{up ? `up ${size}` : `down ${size}`}</span>
    </small>
  );
}
