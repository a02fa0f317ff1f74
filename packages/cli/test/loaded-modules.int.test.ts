import { readFile } from 'node:fs/promises';
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
  const files = cli.stderr.flatMap((line) => /^module (file:.*)/.exec(line)?.[1] ?? []);
  const code = (await Promise.all(files.map((url) => readFile(new URL(url), 'utf8')))).join('\n');
  // The bundler heads the code of each file with its path.
  const isLoaded = (name: string) => code.includes(`\n// node_modules/${name}/`);
  expect(['express', 'openai', 'openid-client', 'pg', 'undici'].filter(isLoaded)).toEqual(['express']);
});

it.each([
  ['--version', '/dist/main.js', 20],
  ['--help', '/dist/main.js', 20],
  ['replay --help', '/dist/replay-', 40],
  ['scan --help', '/dist/scan-', 40],
])('%s: loads few modules, to start fast', async (args, needed, most) => {
  await using cli = spawnCli(args.split(' '), { NODE_OPTIONS: `--import=${hook}` }, { from: 'build' });
  expect(await cli.exited).toBe(0);
  const modules = cli.stderr.filter((line) => line.startsWith('module '));
  expect(modules.join('\n')).toContain(needed);
  expect(modules.length).toBeLessThan(most);
});
