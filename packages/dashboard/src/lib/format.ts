import { visibleText } from './visible-text.ts';

/** Formats numbers, durations and times. */

type Zone = 'local' | 'utc';
let zone: Zone = 'local';

/** Sets the time zone of all formatted times. */
export function writeTimesIn(chosen: Zone): void {
  zone = chosen;
}

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** The number of items in a list, `10,000+` if there are more than were counted. */
export function formatTotal({
  total,
  isLowerBound,
}: {
  readonly total: number;
  readonly isLowerBound: boolean;
}): string {
  return `${formatNumber(total)}${isLowerBound ? '+' : ''}`;
}

/** 41,200 */
export function formatNumber(value: number): string {
  return grouped.format(value);
}

/** 0.3, 8.5, 41: loops per 100 sessions, or percent. */
export function formatRate(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : formatNumber(value);
}

/** 950, 41.2k, 1.9M */
export function formatCompact(value: number): string {
  return value < 1_000 ? grouped.format(value) : compact.format(value).replace('K', 'k');
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const wholeDollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});

const fractions = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 2,
});

/** $8.40, $1,284, $0.0027 */
export function formatUsd(value: number): string {
  if (value > 0 && value < 0.01) return fractions.format(value);
  return value < 1_000 ? dollars.format(value) : wholeDollars.format(value);
}

/** 12 ms, 8.2 s, 2m 14s, 1h 05m, 3d 4h */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${String(Math.round(ms))} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${String(hours)}h ${two(minutes % 60)}m`;
  return `${String(Math.floor(hours / 24))}d ${String(hours % 24)}h`;
}

const steps = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A duration in one unit where it is a whole number: 30 s, 10 min, 1 h, 7 d; else 1.5 s. */
export function formatStep(ms: number): string {
  const unit = steps.find(([length]) => ms % length === 0);
  return unit === undefined || ms === 0 ? formatDuration(ms) : `${formatNumber(ms / unit[0])} ${unit[1]}`;
}

/** just now, 12 s ago, 4 min ago, 3 h ago, 5 d ago */
export function formatAgo(ms: number): string {
  return ms < 3_000 ? 'just now' : `${formatAge(ms)} ago`;
}

/** 12 s, 4 min, 3 h, 5 d */
export function formatAge(ms: number): string {
  return inLargestUnit(ms, Math.floor);
}

/** How late something is, rounded up, so that no page is later than it says: 12 s, 5 min, 3 h, 2 d */
export function formatLag(ms: number): string {
  return inLargestUnit(ms, Math.ceil);
}

/** How wrong a clock is, to the nearest unit, since delivery takes time: two hours less a second are 2 h. */
export function formatOffset(ms: number): string {
  const [unit = 1_000] = steps.find(([step]) => ms >= step - step / 60) ?? [];
  return inLargestUnit(Math.max(ms, unit), Math.round);
}

function inLargestUnit(ms: number, round: (value: number) => number): string {
  const [length, unit] = steps.find(([step]) => ms >= step) ?? [1_000, 's'];
  return `${String(round(ms / length))} ${unit}`;
}

/** 14:02:11, with the date if it is not the day of `now`. */
export function formatTime(time: number, now: number = time): string {
  const clock = write(time, { timeStyle: 'medium' });
  const day = (moment: number) => write(moment, { day: 'numeric', month: 'short', year: 'numeric' });
  return day(time) === day(now) ? clock : `${day(time)}, ${clock}`;
}

/** 14 Nov 2026, 14:02 – 21 Nov 2026, 14:02; with seconds if it is short. */
export function formatPeriod(from: number, to: number): string {
  const timeStyle = to - from < 3_600_000 ? 'medium' : 'short';
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle, ...zoneOption() });
  return format.formatRange(from, to);
}

/** With milliseconds and zone, for tooltips and copied text: 2026-08-03 14:02:11.004 UTC+2 */
export function formatExact(time: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset', ...zoneOption() });
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  // Sweden writes dates as ISO 8601 does.
  const day = new Date(time).toLocaleDateString('sv-SE', zoneOption());
  const ms = String(new Date(time).getMilliseconds()).padStart(3, '0');
  return `${day} ${write(time, { timeStyle: 'medium' })}.${ms} ${name.replace('GMT', 'UTC')}`;
}

/** 1 call, 2 calls */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** calls, turns and tokens */
export function joinWords(words: readonly string[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** 18.4 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${String(bytes)} B`;
  const step = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${value < 10 ? value.toFixed(1) : String(Math.round(value))} ${['B', 'kB', 'MB', 'GB', 'TB'][step] ?? ''}`;
}

/** 93%; a dash if the total is 0. */
export function formatShare(share: number | null): string {
  return share === null ? '–' : `${String(Math.round(share * 100))}%`;
}

/** What pages call an incident: only a loop is one. */
export function nounOf({ kind }: { readonly kind: 'loop' | 'limit' | 'outage' }): string {
  return kind === 'limit' ? 'incident' : kind;
}

/** A verdict's reason without the ending, which repeats the incident's state. */
export function formatReason(reason: string): string {
  return visibleText(reason.replace(/; the (?:prompt or session ended|turn was retried)\.?$/, ''));
}

function write(time: number, options: Intl.DateTimeFormatOptions): string {
  return new Date(time).toLocaleString('en-GB', { ...options, ...zoneOption() });
}

function zoneOption(): Intl.DateTimeFormatOptions {
  return zone === 'utc' ? { timeZone: 'UTC' } : {};
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
