import { homedir } from 'node:os';

/** Formats values for the reports of a scan. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** 41,200 */
export function formatInteger(value: number): string {
  return whole.format(value);
}

/** 950, 41.2k, 1.9M */
export function formatCompact(value: number): string {
  return value < 1000 ? whole.format(value) : compact.format(value).replace('K', 'k');
}

/** $8.40, <$0.01 */
export function formatUsd(value: number): string {
  return value > 0 && value < 0.01 ? '<$0.01' : dollars.format(value);
}

/** `1 loop`, `2 loops` */
export function formatCount(count: number, noun: string): string {
  return `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** 12.3 MB */
export function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** 4.2 s, 2 min 14 s */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${String(Math.floor(seconds / 60))} min ${String(Math.round(seconds % 60))} s`;
}

/** 2026-11-22 */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A path with `~` for the home folder. */
export function shortPath(file: string): string {
  const home = homedir();
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
