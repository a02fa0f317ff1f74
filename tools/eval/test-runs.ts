import { type CommandIo, main } from './main.ts';

/** Runs the command and captures its output. */
export async function run(
  args: readonly string[],
  io: Pick<CommandIo, 'home' | 'environment'> = {},
): Promise<{ code: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const code = await main(args, {
    print: (out) => (text.out += out),
    printError: (err) => (text.err += err),
    ...io,
  });
  return { code, ...text };
}

/** The cells of the row with these first cells. */
export function row(table: string, ...start: string[]): string[] {
  const rows = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find((cells) => start.every((cell, i) => cells[i] === cell)) ?? [];
}

/** The output after the table of alarms. */
export function labelTable(out: string): string {
  return out.slice(out.indexOf('labelled'));
}
