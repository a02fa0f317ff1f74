import type { Breakdown, BreakdownAmounts } from '@loopwatch/contract/api';
import {
  type Difference,
  differenceOf,
  type Estimate,
  mean,
  proportion,
  rate,
} from '@loopwatch/contract/api';
import { spendShare } from '../breakdown/rates.ts';
import { formatNumber, formatRate, formatUsd } from '../lib/format.ts';

/** One of the two sides: a group, or a period. */
export interface Side {
  readonly name: string;
  readonly amounts: BreakdownAmounts;
}

interface Measure {
  readonly id: string;
  readonly name: string;
  /** The value, and its interval if one can be given. */
  readonly of: (amounts: BreakdownAmounts) => Estimate | number | null;
  readonly text: (value: number) => string;
}

const measures: readonly Measure[] = [
  { id: 'sessions', name: 'Sessions', of: ({ activity }) => activity.sessions, text: formatNumber },
  {
    id: 'looping',
    name: 'Sessions with a loop',
    of: ({ sessions, activity }) => proportion(sessions, activity.sessions),
    text: percent,
  },
  {
    id: 'rate',
    name: 'Loops per 100 sessions',
    of: ({ incidents, activity }) => scaled(rate(incidents, activity.sessions), 100),
    text: formatRate,
  },
  {
    id: 'usd',
    name: 'Cost per session',
    of: ({ activity: { usd, usdSquares, priced } }) => mean(usd ?? 0, usdSquares ?? 0, priced),
    text: cents,
  },
  { id: 'wasted', name: 'Share of spend wasted', of: spendShare, text: percent },
];

/** A measure of both sides. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly a: Cell;
  readonly b: Cell;
  /** Absent where no interval can be given. */
  readonly difference?: Difference;
}

interface Cell {
  readonly value: number | null;
  readonly text: string;
  /** `1.2 to 3.4` */
  readonly interval?: string;
}

export function compareRows(a: BreakdownAmounts, b: BreakdownAmounts): Row[] {
  const fewest = Math.min(a.activity.sessions, b.activity.sessions);
  return measures.map(({ id, name, of, text }) => {
    const [left, right] = [of(a), of(b)];
    const isEstimate = id !== 'sessions' && id !== 'wasted';
    return {
      id,
      name,
      a: cellOf(left, text),
      b: cellOf(right, text),
      ...(isEstimate && { difference: differenceOf(estimateOf(left), estimateOf(right), fewest) }),
    };
  });
}

/** The two sides by name: of a group that no session has, nothing is known. */
export function sideOf(breakdown: Breakdown, name: string | undefined): Side | undefined {
  const found = breakdown.groups.find(({ value }) => value === name);
  return found && { name: found.value ?? '', amounts: found };
}

/** All values, the two with the most sessions first; of these the lower one, as the older of two versions. */
export function mostUsed({ groups }: Breakdown): readonly string[] {
  const values = groups
    .toSorted((a, b) => b.activity.sessions - a.activity.sessions)
    .flatMap(({ value }) => value ?? []);
  const sides = values.slice(0, 2).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return [...sides, ...values.slice(2)];
}

function cellOf(of: Estimate | number | null, text: (value: number) => string): Cell {
  if (of === null) return { value: null, text: '–' };
  if (typeof of === 'number') return { value: of, text: text(of) };
  const high = Number.isFinite(of.high) ? text(of.high) : 'any';
  return { value: of.value, text: text(of.value), interval: `${text(of.low)} to ${high}` };
}

function estimateOf(of: Estimate | number | null): Estimate | null {
  return typeof of === 'number' ? null : of;
}

function scaled(of: Estimate | null, by: number): Estimate | null {
  return of && { value: of.value * by, low: of.low * by, high: of.high * by };
}

/** Small amounts with two digits: sessions often cost less than a cent. */
function cents(value: number): string {
  return value > 0 && value < 0.1 ? `$${String(Number(value.toPrecision(2)))}` : formatUsd(value);
}

function percent(value: number): string {
  return `${formatRate(100 * value)}%`;
}
