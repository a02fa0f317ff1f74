import { type CliProcess, spawnCli, tempDir } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';

/** Starts a server that has no sessions. */
export function serverOn(port: string, dir: string, ...settings: string[]): CliProcess {
  const args = ['start', '--no-samples', '--port', port, '--data-dir', dir, ...settings];
  return spawnCli(args, { KAFKA_BROKERS: '', DATABASE_URL: '' }, { from: 'build' });
}

/** A server that has no sessions, until the test ends. */
export async function startedServer(port: string, ...settings: string[]): Promise<CliProcess> {
  const dir = await tempDir();
  const server = serverOn(port, dir.path, ...settings);
  onTestFinished(async () => {
    await server.stop('SIGKILL');
    await dir.remove();
  });
  await server.line(/Loopwatch .* is at http/);
  return server;
}

/** `loopwatch hook …` for the agents whose settings are in this home. */
export async function hookCommand(home: string, ...args: string[]) {
  const folders = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'KIMI_CODE_HOME', 'GROK_HOME', 'HERMES_HOME'];
  const env = { HOME: home, ...Object.fromEntries(folders.map((name) => [name, ''])) };
  const started = spawnCli(['hook', ...args], env, { from: 'build' });
  onTestFinished(() => started[Symbol.asyncDispose]());
  const code = await started.exited;
  return { code, stdout: started.stdout.join('\n'), stderr: started.stderr.join('\n') };
}
