/** Numbers, durations and times as people read them: one helper each. */

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** 41,200 */
export function formatNumber(value: number): string {
  return grouped.format(value);
}

/** 950, 41.2k, 1.9M */
export function formatCompact(value: number): string {
  return value < 1_000 ? grouped.format(value) : compact.format(value).replace('K', 'k');
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

/** just now, 12 s ago, 4 min ago, 3 h ago, 5 d ago */
export function formatAgo(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 3) return 'just now';
  if (seconds < 60) return `${String(seconds)} s ago`;
  if (seconds < 3_600) return `${String(Math.floor(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3_600))} h ago`;
  return `${String(Math.floor(seconds / 86_400))} d ago`;
}

/** 14:02:11, with the day where it is not `now`'s. */
export function formatTime(time: number, now: number = time): string {
  const date = new Date(time);
  const clock = date.toLocaleTimeString('en-GB');
  if (date.toDateString() === new Date(now).toDateString()) return clock;
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock}`;
}

/** With milliseconds and zone, for tooltips and copied text: 2026-08-03 14:02:11.004 UTC+2 */
export function formatExact(time: number): string {
  const date = new Date(time);
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(date);
  const name = zone.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${day} ${date.toLocaleTimeString('en-GB')}.${ms} ${name.replace('GMT', 'UTC')}`;
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

function two(value: number): string {
  return String(value).padStart(2, '0');
}
