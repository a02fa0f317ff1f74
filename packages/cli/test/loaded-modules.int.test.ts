import { fileURLToPath } from 'node:url';
import { freePort, spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';

const hook = fileURLToPath(new URL('./loaded-modules.js', import.meta.url));

it('start: loads no clients that are not configured, to save memory', async () => {
  await using dir = await tempDir();
  const port = await freePort();
  await using cli = spawnCli(
    ['start', '--no-samples', '--port', String(port), '--data-dir', dir.path],
    { NODE_OPTIONS: `--import=${hook}` },
    { from: 'build' },
  );
  await cli.line(/is at http:/);
  await cli.stop();
  const modules = cli.stderr.filter((line) => line.startsWith('module '));
  const of = (name: string) => modules.filter((url) => url.includes(`/node_modules/${name}/`)).length;
  expect(of('express')).toBeGreaterThan(0);
  expect({
    openai: of('openai'),
    'openid-client': of('openid-client'),
    pg: of('pg'),
    undici: of('undici'),
  }).toEqual({ openai: 0, 'openid-client': 0, pg: 0, undici: 0 });
});

it.each([
  ['--version', '/node_modules/commander/', 20],
  ['--help', '/node_modules/commander/', 20],
  ['replay --help', '/dist/bundle/replay-', 40],
  ['scan --help', '/dist/bundle/scan-', 40],
])('%s: loads few modules, to start fast', async (args, needed, most) => {
  await using cli = spawnCli(args.split(' '), { NODE_OPTIONS: `--import=${hook}` }, { from: 'build' });
  expect(await cli.exited).toBe(0);
  const modules = cli.stderr.filter((line) => line.startsWith('module '));
  expect(modules.join('\n')).toContain(needed);
  expect(modules.length).toBeLessThan(most);
});
