import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';

export interface OwnServer {
  readonly url: string;
  /** Removes its data folder, too. */
  stop(): Promise<void>;
}

/** `loopwatch start` as it is published, on the embedded log in a folder of its own, without samples. */
export async function startOwnServer(env: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  const folder = await tempDir();
  const port = String(await freePort());
  const args = ['start', '--port', port, '--data-dir', folder.path, '--no-samples'];
  const server = spawnCli(args, env, { from: 'build' });
  await server.line(/Loopwatch .* is at http/);
  return {
    url: `http://localhost:${port}`,
    stop: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}
