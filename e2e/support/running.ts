import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Running {
  readonly url: string;
  /** Makes the server find one more loop. */
  addLoop(id: string): void;
  stop(): Promise<void>;
}

/** Starts e2e/support/server.ts, with the built dashboard, as a separate process. */
export async function startDashboard(filling: 'samples' | 'empty' = 'samples'): Promise<Running> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), ['0', filling], {
    execArgv: ['--import', 'tsx', '--conditions=@loopwatch/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { url: string }) => resolve(message.url));
    child.once('exit', (code) => reject(new Error(`The server ended with code ${String(code)}`)));
  });
  return {
    url,
    addLoop: (id) => void child.send({ loop: id }),
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
