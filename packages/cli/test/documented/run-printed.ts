import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';

const cli = fileURLToPath(new URL('../../bin/loopwatch.js', import.meta.url));

/** What stands in for commands that would install something, or open a window. */
const standIns = {
  npx: `[ "$1" = loopwatch ] || exit 127\nshift\nexec "${process.execPath}" "${cli}" "$@"`,
  // What the tests run is installed and built.
  npm: '[ "$*" = ci ] || [ "$*" = "run build" ]',
  ...Object.fromEntries(
    ['xdg-open', 'open'].map((name) => [name, 'echo "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"']),
  ),
};

export interface PrintedOptions {
  /** Working directory and home; the files that the commands name lie there. */
  readonly folder: string;
  /** The server that stands for `localhost:4600`. */
  readonly host?: string;
  /** Searched for programs before the system's folders. */
  readonly programs?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called when a command opens a browser; Ctrl+C ends the command afterwards. */
  readonly onOpen?: (url: string) => Promise<void>;
}

export interface Printed {
  /** Exit status and text of each command that did not end with 0. */
  readonly nonZero: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs commands in bash as a page prints them; only the server's address is another one.
 *
 * @throws Error when bash cannot read the commands
 */
export async function runPrinted(
  commands: string,
  { folder, host = 'localhost:4600', programs = '', env = {}, onOpen }: PrintedOptions,
): Promise<Printed> {
  const tools = join(folder, '.tools');
  await mkdir(tools, { recursive: true });
  for (const [name, script] of Object.entries(standIns)) {
    await writeFile(join(tools, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(tools, name), 0o755);
  }
  const statuses = join(tools, 'statuses');
  const opened = join(tools, 'opened');
  await writeFile(statuses, '');
  const script = [
    `trap 'echo "$? $BASH_COMMAND" >> "$STATUSES"' ERR`,
    commands.replaceAll('localhost:4600', host),
    'exit 0',
  ].join('\n');
  const paths = [tools, programs, process.env['PATH']].filter((path) => path !== '');
  const bash = spawn('bash', ['-c', script], {
    cwd: folder,
    // A group of its own, which Ctrl+C reaches as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: paths.join(':'), HOME: folder, STATUSES: statuses, OPENED: opened, ...env },
  });
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(bash.pid ?? 0), name);
    } catch {
      // All of it has ended.
    }
  };
  onTestFinished(() => signal('SIGKILL'));
  const output = Promise.all([text(bash.stdout), text(bash.stderr)]);
  const ended = once(bash, 'close');
  if (onOpen !== undefined) {
    await waitFor(() => existsSync(opened) || bash.exitCode !== null, {
      timeoutMs: 90_000,
      describe: 'the browser that a command opens',
    });
    if (existsSync(opened)) await onOpen((await readFile(opened, 'utf8')).trim());
    signal('SIGINT');
  }
  await ended;
  const [stdout, stderr] = await output;
  if (bash.exitCode !== 0) throw new Error(`bash ended with ${String(bash.exitCode)}:\n${stderr}`);
  const nonZero = (await readFile(statuses, 'utf8')).split('\n').filter((line) => line !== '');
  return { nonZero, stdout, stderr };
}
