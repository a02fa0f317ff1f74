import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';

it('lifecycle: a process that lost the lock on its data folder exits with status 1 and logs why', async () => {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const gateway = spawnCli([
    ...['gateway', '--upstream', 'http://127.0.0.1:9/v1', '--port', '0', '--data-dir', dir.path],
  ]);
  onTestFinished(async () => {
    await gateway.stop('SIGKILL');
  });
  await gateway.line(/Embedded event log in /);
  await rm(join(dir.path, 'log', '.lock'), { recursive: true });
  expect(await gateway.exited).toBe(1);
  const line = gateway.stdout.find((line) => line.includes('The lock on'));
  expect(line).toContain('Exiting with status 1.');
});
