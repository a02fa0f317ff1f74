import { freePort, spawnCli, tempDir, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

interface RunningServer {
  readonly host: string;
  readonly stop: () => Promise<void>;
}

/** A server with an embedded log in a temporary folder. */
async function startServer(env: Record<string, string> = {}): Promise<RunningServer> {
  const dir = await tempDir();
  const port = String(await freePort());
  const args = ['start', '--no-samples', '--port', port, '--data-dir', dir.path];
  const server = spawnCli(args, { KAFKA_BROKERS: '', ...env }, { from: 'build' });
  const stop = async () => {
    await server.stop('SIGKILL');
    await dir.remove();
  };
  await server.line(/Loopwatch .* is at http/);
  return { host: `localhost:${port}`, stop };
}

/** Such a server for the tests of a file. @returns its address, once tests run */
export function sharedServer(): () => string {
  let server: RunningServer | undefined;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());
  return () => server?.host ?? '';
}

/** Such a server, stopped after the test. */
export async function startedServer(env: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startServer(env);
  onTestFinished(server.stop);
  return server;
}

/** Waits for this many sessions. @returns them with their number of loops */
export async function sessionsAt(host: string, count: number, token = ''): Promise<Record<string, number>> {
  let body: unknown;
  const read = async () => {
    const headers = { authorization: `Bearer ${token}` };
    // A server that is still starting refuses the connection.
    const answer = await fetch(`http://${host}/api/v1/sessions`, { headers }).catch(() => undefined);
    if (answer?.ok !== true) return false;
    body = await answer.json();
    const { items } = body as { items: { sessionId: string; incidents: { total: number } }[] };
    return items.length >= count && items;
  };
  const items = await waitFor(read, {
    // Up to four commands start meanwhile.
    describe: () => `${String(count)} sessions; there are\n${JSON.stringify(body)}`,
  });
  return Object.fromEntries(items.map(({ sessionId, incidents }) => [sessionId, incidents.total]));
}
