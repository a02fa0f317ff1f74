import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith, tempDir } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { startServer, topics } from '../running-server.ts';
import { summary, verdict } from '../verdicts.ts';

const folder = join(import.meta.dirname, 'schemathesis');

it('the API answers every request that schemathesis makes of its OpenAPI document as documented', async () => {
  const python = await pythonWith(join(folder, 'requirements.txt'));
  await using work = await tempDir('loopwatch-schemathesis');
  const { url, log, server, stored } = await startServer();
  onTestFinished(() => server.stop());
  log.appendVerdict(verdict());
  log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
  await stored();
  const options = ['--url', url, '--phases', 'examples,coverage,fuzzing', '--no-color'];
  const run = promisify(execFile)(
    python,
    [
      ...['-m', 'schemathesis.cli', '--config-file', join(folder, 'schemathesis.toml')],
      ...['run', `${url}/api/v1/openapi.json`, ...options],
    ],
    { cwd: work.path, maxBuffer: 64 * 1024 * 1024 },
  );
  const found = await run.then(
    () => '',
    // What failed is on standard output.
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(found).toBe('');
});
