/** A time range: relative to now, or between two times. */
export type TimeRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'last'; readonly span: Span }
  /** Wall clock, epoch ms. */
  | { readonly kind: 'fixed'; readonly from: number; readonly to: number };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const spans = {
  '5m': { ms: 5 * MINUTE, text: 'Last 5 minutes' },
  '15m': { ms: 15 * MINUTE, text: 'Last 15 minutes' },
  '1h': { ms: HOUR, text: 'Last hour' },
  '6h': { ms: 6 * HOUR, text: 'Last 6 hours' },
  '24h': { ms: DAY, text: 'Last 24 hours' },
  '7d': { ms: 7 * DAY, text: 'Last 7 days' },
  '30d': { ms: 30 * DAY, text: 'Last 30 days' },
} as const;
export type Span = keyof typeof spans;

export const allTime: TimeRange = { kind: 'all' };

function isSpan(text: string): text is Span {
  return Object.hasOwn(spans, text);
}

type Search = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `range=6h`, or `from=…&to=…` as epoch ms. @returns `ignored`: the invalid params */
export function readRange<Standard extends TimeRange | undefined>(
  search: Search,
  standard: Standard,
): { range: TimeRange | Standard; ignored: string[] } {
  const { range, from, to } = search;
  if (typeof range === 'string') {
    if (range === 'all') return { range: allTime, ignored: [] };
    if (isSpan(range)) return { range: { kind: 'last', span: range }, ignored: [] };
    return { range: standard, ignored: [`range=${range}`] };
  }
  if (from === undefined && to === undefined) return { range: standard, ignored: [] };
  const begin = Number(from);
  const end = Number(to);
  if (Number.isFinite(begin) && Number.isFinite(end) && begin < end) {
    return { range: { kind: 'fixed', from: begin, to: end }, ignored: [] };
  }
  const given = Object.entries({ from, to }).filter(([, value]) => value !== undefined);
  return { range: standard, ignored: given.map(([name, value]) => `${name}=${String(value)}`) };
}

/** The inverse of {@link readRange}. */
export function writeRange(
  range: TimeRange,
  standard: TimeRange | undefined,
): { range: string | undefined; from: string | undefined; to: string | undefined } {
  const none = { range: undefined, from: undefined, to: undefined };
  if (range.kind === 'fixed') return { ...none, from: String(range.from), to: String(range.to) };
  const name = range.kind === 'all' ? 'all' : range.span;
  const usual = standard?.kind === 'last' ? standard.span : standard?.kind;
  return { ...none, range: name === usual ? undefined : name };
}

/** Request parameters of a range. @param now wall clock, epoch ms */
export function rangeLimits(range: TimeRange, now: number): { from?: number; to?: number } {
  if (range.kind === 'all') return {};
  if (range.kind === 'fixed') return { from: range.from, to: range.to };
  return { from: now - spans[range.span].ms };
}
