import { once } from 'node:events';

/** Writes to the standard output and waits while its reader is slow. A reader that has gone away ends the program. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Says what was found odd in the configuration, for commands whose standard output is their result. */
export function tellWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
}

/** `loopwatch replay … | head` is no failure. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}
