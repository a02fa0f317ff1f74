import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'lifecycle: %s stops the parts in order',
  async (signal) => {
    const program = `
    import { runUntilSignal } from ${JSON.stringify(join(import.meta.dirname, '../../src/runtime/lifecycle.ts'))};
    setTimeout(() => undefined, 60_000).unref();
    const part = (name) => ({ stop: () => Promise.resolve(console.log(name)) });
    const ended = runUntilSignal([part('first'), part('second')], { info: (...all) => console.log(all.at(-1)) });
    const waiting = setInterval(() => undefined, 1_000);
    console.log('running');
    await ended;
    clearInterval(waiting);`;
    const options = ['--import', 'tsx', '--conditions=@loopwatch/source', '--input-type=module', '--eval'];
    const child = spawn(process.execPath, [...options, program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.once('data', () => child.kill(signal));
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(printed.split('\n').slice(1)).toEqual([
      `${signal}: shutting down after the work in progress`,
      'first',
      'second',
      'Stopped',
      '',
    ]);
    expect(code).toBe(0);
  },
);

it('lifecycle: a stopped process ends although something keeps a connection open', async () => {
  const program = `
    import { createServer } from 'node:net';
    import { stopInTime } from ${JSON.stringify(join(import.meta.dirname, '../../src/runtime/lifecycle.ts'))};
    createServer().listen(0);
    await stopInTime([], 'test', { info: console.log, error: console.error });`;
  const options = ['--import', 'tsx', '--conditions=@loopwatch/source', '--input-type=module', '--eval'];
  const child = spawn(process.execPath, [...options, program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(printed).toMatch(/Stopped\n$/);
  expect(code).toBe(0);
});
