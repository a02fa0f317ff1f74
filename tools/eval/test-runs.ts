import { type Edge, main } from './main.ts';

/** Runs the command as a terminal would, and keeps what it prints. */
export async function run(
  args: readonly string[],
  edge: Pick<Edge, 'home' | 'environment'> = {},
): Promise<{ code: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const code = await main(args, {
    print: (out) => (text.out += out),
    complain: (err) => (text.err += err),
    ...edge,
  });
  return { code, ...text };
}

/** The cells of the row that begins so. */
export function row(table: string, ...start: string[]): string[] {
  const rows = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find((cells) => start.every((cell, i) => cells[i] === cell)) ?? [];
}

/** What follows the table of alarms. */
export function labelTable(out: string): string {
  return out.slice(out.indexOf('labelled'));
}
