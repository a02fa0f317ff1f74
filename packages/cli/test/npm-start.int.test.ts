import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tempDir, waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it.each(['SIGTERM', 'SIGINT'] as const)('npm start: stops its server on %s', async (signal) => {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  // Its own process group, as a service manager creates; only npm gets the signal.
  const npm = spawn('npm', ['start', '--', '--port', '0', '--data-dir', dir.path, '--no-samples'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // Every process has exited.
    }
  });
  const lines: string[] = [];
  createInterface({ input: npm.stdout }).on('line', (line) => lines.push(line));
  const url = await waitFor(() => /is at (http:[^\s"]+)/.exec(lines.join('\n'))?.[1], {
    describe: () => `the server's address; it said:\n${lines.join('\n')}`,
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const ended = once(npm, 'exit');
  npm.kill(signal);
  await ended;
  const isGone = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    );
  await waitFor(isGone, { describe: 'the server to end' });
  expect(lines.at(-1)).toContain('Stopped');
});
