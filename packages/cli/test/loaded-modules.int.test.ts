import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { loadedPackages, printModules, telemetryIn } from './loaded-packages.ts';

it('start: loads no clients and no telemetry that are not configured, to save memory', async () => {
  await using dir = await tempDir();
  const port = await freePort();
  await using cli = spawnCli(
    ['start', '--no-samples', '--port', String(port), '--data-dir', dir.path],
    { NODE_OPTIONS: printModules },
    { from: 'build' },
  );
  await cli.line(/is at http:/);
  await cli.stop();
  const loaded = await loadedPackages(cli.stderr);
  const clients = ['express', 'nodemailer', 'openai', 'openid-client', 'pg', 'undici'];
  expect(clients.filter((name) => loaded.has(name))).toEqual(['express']);
  expect(telemetryIn(loaded)).toEqual([]);
});

it.each([
  ['--version', '/dist/main.js', 20],
  ['--help', '/dist/main.js', 20],
  ['replay --help', '/dist/replay-', 40],
  ['scan --help', '/dist/scan-', 40],
])('%s: loads few modules, to start fast', async (args, needed, most) => {
  await using cli = spawnCli(args.split(' '), { NODE_OPTIONS: printModules }, { from: 'build' });
  expect(await cli.exited).toBe(0);
  const modules = cli.stderr.filter((line) => line.startsWith('module '));
  expect(modules.join('\n')).toContain(needed);
  expect(modules.length).toBeLessThan(most);
});
