import { spawnCli, tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';

it('start: names a database that cannot be used in one line, without its password', async () => {
  await using dir = await tempDir();
  const args = ['start', '--no-samples', '--port', '0', '--data-dir', dir.path, '--set', 'worker.port=0'];
  await using cli = spawnCli(args, {
    KAFKA_BROKERS: '',
    DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/lw',
  });
  expect(await cli.exited).toBe(1);
  const printed = [...cli.stdout, ...cli.stderr];
  expect(printed.join('\n')).not.toMatch(/hunter2|^ {4}at /m);
  expect(printed.at(-1)).toMatch(/^The database at 127\.0\.0\.1:1\/lw cannot be used: .*`loopwatch doctor`/);
});
