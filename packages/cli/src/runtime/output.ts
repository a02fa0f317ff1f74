import { once } from 'node:events';
import { oneLine } from '@loopwatch/detectors/internal';

/** A text without what controls a terminal, except line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(/[^\n\t]+/g, oneLine);
}

/** A value as JSON that controls no terminal. */
export function printableJson(value: unknown, indent = 0): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

/** JSON in which what controls a terminal is escaped; it reads as the same value. */
export function escapedJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** All texts of a value, printable, on one line each. */
export function printableTexts<T>(value: T): T {
  return mapTexts(value) as T;
}

function mapTexts(value: unknown): unknown {
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value)) return value.map(mapTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [oneLine(name), mapTexts(of)]));
}

/** Rows as lines whose columns are aligned. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0);
  const widths = rows[0]?.map((_, column) => widthOf(column)) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Writes to stdout what may quote data. */
export function print(text: string): void {
  process.stdout.write(printable(text));
}

/** Writes to stderr what may quote data. */
export function writeError(text: string): void {
  process.stderr.write(printable(text));
}

/** Writes to stdout what is printable, and waits while its reader is slow. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Prints configuration warnings to stderr, for commands whose stdout is their result. */
export function printWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) writeError(`warning: ${warning}\n`);
}

/**
 * Exits when nothing more can be written to stdout, as on a full disk: quietly if its reader has gone, because
 * `loopwatch replay … | head` is not a failure.
 */
export function exitOnLostOutput(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(process.exitCode ?? 0);
    writeError(`Cannot write the output: ${message}\n`);
    process.exit(1);
  });
}
