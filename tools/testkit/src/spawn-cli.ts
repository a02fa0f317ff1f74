import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { waitFor } from './wait-for.ts';

/** A running `loopwatch` command. */
export interface CliProcess extends AsyncDisposable {
  readonly pid: number;
  /** Complete lines so far. */
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Writes this text to stdin and closes it. */
  write(input: string): void;
  /** Resolves with the first line of either output that matches; rejects if the command exits or the time runs out first. */
  line(pattern: RegExp): Promise<string>;
  /** Sends the signal (default SIGTERM) and waits for the exit; no effect after it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface SpawnCliOptions {
  /** Runs the sources with tsx, or the build. Default: the build unless a source is newer, because it starts in a third of the time. */
  readonly from?: 'build' | 'source';
  /** Runs this file instead, such as the command of an installed package. */
  readonly command?: string;
  /** Executable of another version of Node. */
  readonly node?: string;
  /** Called with each line of stdout as it arrives. */
  readonly onLine?: (line: string) => void;
  /** Default: the repository's root. */
  readonly cwd?: string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = `${root}packages/cli/bin/loopwatch.js`;
const source = ['--import', 'tsx', '--conditions=@loopwatch/source', `${root}packages/cli/src/main.ts`];

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

let fresh: boolean | undefined;

/** Whether there is a build that is newer than all sources. The first answer is kept. */
function isBuildFresh(): boolean {
  if (fresh !== undefined) return fresh;
  // Written by scripts/build.mjs, because the compiler does not rewrite unchanged files.
  const builtAt = modifiedAt(`${root}.cache/build/the-packages`);
  fresh = readdirSync(`${root}packages`).every((name) => {
    const sources = `${root}packages/${name}/src`;
    // A package that is gone can leave its build behind.
    if (!existsSync(sources)) return true;
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
    return files.every((file) => modifiedAt(`${sources}/${file}`) <= builtAt);
  });
  return fresh;
}

/** Running commands, which are killed when this process exits for any reason. */
const running = new Set<() => void>();

process.once('exit', () => {
  for (const kill of running) kill();
});

/** Runs `loopwatch <args>` with `env` added to this process' environment. */
export function spawnCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { from, command, node = process.execPath, cwd = root, onLine }: SpawnCliOptions = {},
): CliProcess {
  const build = from === 'build' || (from === undefined && isBuildFresh());
  const script = command === undefined ? (build ? [built] : source) : [command];
  const child = spawn(node, [...script, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
  const kill = () => void child.kill('SIGKILL');
  running.add(kill);
  let ended: number | NodeJS.Signals | undefined;
  const exited = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
    running.delete(kill);
    ended = code ?? signal ?? 0;
    return ended;
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line);
    onLine?.(line);
  });
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  const recentOutput = () => [...stdout, ...stderr].slice(-20).join('\n');
  return {
    pid: child.pid ?? -1,
    stdout,
    stderr,
    exited,
    write: (input) => void child.stdin.end(input),
    line: async (pattern) => {
      const found = () =>
        stdout.find((line) => pattern.test(line)) ?? stderr.find((line) => pattern.test(line));
      await waitFor(() => found() !== undefined || ended !== undefined, {
        describe: () =>
          `a line like ${String(pattern)} of loopwatch ${args.join(' ')}; output:\n${recentOutput()}`,
      });
      const line = found();
      if (line === undefined)
        throw new Error(`loopwatch ${args.join(' ')} ended with ${String(ended)}:\n${recentOutput()}`);
      return line;
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL');
    },
  };
}
