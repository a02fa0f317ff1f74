import { spawnCli, tempDir } from '@loopwatch/testkit';

/** What the API tells of a session, as far as tests of producers compare it. */
export interface Session {
  readonly sessionId: string;
  readonly toolCalls: number;
  readonly incidents: { readonly total: number };
}

/** A server without sessions. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

export async function startServer(): Promise<RunningServer> {
  const folder = await tempDir();
  const args = ['start', '--port', '0', '--data-dir', folder.path, '--no-samples'];
  const cli = spawnCli(args, { KAFKA_BROKERS: '', DATABASE_URL: '' });
  const line = await cli.line(/Loopwatch .* is at http/);
  return {
    url: /http:[^\s"]+/.exec(line)?.[0] ?? '',
    [Symbol.asyncDispose]: async () => {
      await cli[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
