import { homedir } from 'node:os';

/** Formats values for the reports of a scan. */

// Created at first use: each takes milliseconds, and a short command needs none.
const whole = lazyFormat({ maximumFractionDigits: 0 });
const compact = lazyFormat({ notation: 'compact', maximumSignificantDigits: 3 });
const dollars = lazyFormat({ style: 'currency', currency: 'USD' });
const fractions = lazyFormat({ style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

function lazyFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => (format ??= new Intl.NumberFormat('en', options)).format(value);
}

/** 41,200 */
export function formatInteger(value: number): string {
  return value < 1000 && Number.isInteger(value) ? String(value) : whole(value);
}

/** 950, 41.2k, 1.9M */
export function formatCompact(value: number): string {
  return value < 1000 ? formatInteger(value) : compact(value).replace('K', 'k');
}

/** $8.40, $0.0027 */
export function formatUsd(value: number): string {
  return value > 0 && value < 0.01 ? fractions(value) : dollars(value);
}

/** `1 loop`, `2 loops` */
export function formatCount(count: number, noun: string): string {
  return `${formatInteger(count)} ${noun}${count === 1 ? '' : 's'}`;
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

/** Earlier times are those of histories without a clock. */
const FIRST_DAY = Date.UTC(2000, 0, 1);

/** 2026-11-22; null if the history does not say it */
export function formatDay(time: number): string | null {
  return time < FIRST_DAY ? null : new Date(time).toISOString().slice(0, 10);
}

/** A path with `~` for the home folder. */
export function shortPath(file: string): string {
  const home = homedir();
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
