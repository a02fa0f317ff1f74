import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@loopwatch/testkit';
import { root } from '@loopwatch/testkit/documented';
import { onTestFinished } from 'vitest';

const cli = fileURLToPath(new URL('../../bin/loopwatch.js', import.meta.url));
const tsx = import.meta.resolve('tsx');

/** Replacements for commands that would install something, open a window or need a cluster, and for programs that are not installed. */
const usualStandIns = {
  npx: `[ "$1" = loopwatch ] || exit 127\nshift\nexec "${process.execPath}" "${cli}" "$@"`,
  // Tests run on installed and built packages, and do not start all tests again.
  npm: `case "$*" in
ci | 'run build' | test) ;;
start) exec "${process.execPath}" "${cli}" start ;;
'run eval'* | 'run loopbench'*)
  tool=$2
  shift 2
  [ "$1" = -- ] && shift
  exec "${process.execPath}" --import "${tsx}" --conditions=@loopwatch/source "${root}tools/$tool/index.ts" "$@" ;;
*) exit 127 ;;
esac`,
  // Runs the command on this machine, where the image has its files in the working directory.
  kubectl: `[ "$1" = exec ] || exit 127\nuntil [ "$1" = -- ]; do shift; done\nshift\ncd "${root}"\nexec "$@"`,
  'kafka-console-consumer.sh': `exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$KAFKA_JARS/*" org.apache.kafka.tools.consumer.ConsoleConsumer "$@"`,
  // Nothing is installed or started by root, and PostgreSQL's administrator is the user of PGUSER.
  sudo: `case "$1" in
apt-get | service) ;;
-iu) shift 2; exec "$@" ;;
*) exit 127 ;;
esac`,
  'xdg-open': '',
  open: '',
};

export interface RunOptions {
  /** Working directory and home folder, with the files that the commands name. */
  readonly folder: string;
  /** Replaces `localhost:4600`. */
  readonly host?: string;
  /** Searched for programs before the system's folders. */
  readonly programs?: string;
  /** Scripts of shell in place of further commands. */
  readonly standIns?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What the user enters when asked for a password. */
  readonly password?: string;
  /** For a command that runs until Ctrl+C: the output to wait for and a check to run before stopping it. */
  readonly running?: { readonly output: RegExp; readonly check: (match: RegExpExecArray) => Promise<void> };
}

export interface CommandOutput {
  /** Exit status and text of each command that failed. */
  readonly nonZero: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs commands in bash as documented, except for the server's address.
 *
 * @throws Error when bash cannot read the commands
 */
export async function runDocumented(
  commands: string,
  { folder, host = 'localhost:4600', programs = '', standIns = {}, env = {}, password, running }: RunOptions,
): Promise<CommandOutput> {
  const tools = join(folder, '.tools');
  await mkdir(tools, { recursive: true });
  for (const [name, script] of Object.entries({ ...usualStandIns, ...standIns })) {
    await writeFile(join(tools, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(tools, name), 0o755);
  }
  const statuses = join(tools, 'statuses');
  await writeFile(statuses, '');
  const script = [
    `trap 'echo "$? $BASH_COMMAND" >> "$STATUSES"' ERR`,
    commands.replaceAll('localhost:4600', host),
    'exit 0',
  ].join('\n');
  const paths = [tools, programs, process.env['PATH']].filter((path) => path !== '');
  const bash = spawn('bash', ['-c', script], {
    cwd: folder,
    // Its own process group, so that Ctrl+C reaches every process.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: paths.join(':'), HOME: folder, STATUSES: statuses, ...env },
  });
  const signal = (name: NodeJS.Signals) => {
    if (bash.pid !== undefined && bash.exitCode === null) process.kill(-bash.pid, name);
  };
  onTestFinished(() => signal('SIGKILL'));
  let stdout = '';
  let stderr = '';
  bash.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  bash.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  if (password === undefined) bash.stdin.end();
  for (const output of [bash.stdout, bash.stderr])
    output.on('data', (text: string) => {
      if (password !== undefined && /password: *$/i.test(text)) bash.stdin.write(`${password}\n`);
    });
  const ended = once(bash, 'close');
  if (running !== undefined) {
    const match = await waitFor(
      () => {
        const found = running.output.exec(`${stdout}${stderr}`);
        if (found === null && bash.exitCode !== null)
          throw new Error(`the commands ended without ${String(running.output)}:\n${stdout}${stderr}`);
        return found;
      },
      { describe: () => `${String(running.output)}; so far:\n${stdout}${stderr}` },
    );
    await running.check(match);
    signal('SIGINT');
  }
  await ended;
  if (bash.exitCode !== 0) throw new Error(`bash ended with ${String(bash.exitCode)}:\n${stderr}`);
  const nonZero = (await readFile(statuses, 'utf8')).split('\n').filter((line) => line !== '');
  return { nonZero, stdout, stderr };
}
