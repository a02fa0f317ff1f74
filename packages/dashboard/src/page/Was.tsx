import type { Difference } from '@loopwatch/contract/api';

/** A rate, and what it was in the period before; null if unknown. */
export interface RateFigure {
  readonly now: number | null;
  readonly before: number | null;
  /** Whether the change may be chance; absent where no interval can be given. */
  readonly difference?: Difference;
}

interface Props {
  readonly figure: RateFigure;
  readonly format: (value: number) => string;
  /** Length of the period, such as `6 h`. */
  readonly period: string;
}

const texts = {
  'too few': ': too few sessions to compare',
  unclear: ': no clear difference',
  higher: ': clearly more',
  lower: ': clearly less',
};

/** What a rate was in the period before, colored only if the difference is clear. */
export function Was({ figure: { now, before, difference }, format, period }: Props) {
  if (now === null || before === null) return null;
  const [shown, was] = [format(now), format(before)];
  const arrow = shown === was ? '=' : now > before ? '↑' : '↓';
  return (
    // The space lets it wrap where the figure is long.
    <>
      {' '}
      <small
        className="ml-0.5 text-sm font-500 tracking-[0] text-ink3 whitespace-nowrap data-[difference=higher]:text-hot data-[difference=lower]:text-ok"
        data-difference={difference}
        title={`${was} in the ${period} before${difference === undefined ? '' : texts[difference]}`}
      >
        <span aria-hidden="true">{arrow} </span>was {was}
      </small>
    </>
  );
}
