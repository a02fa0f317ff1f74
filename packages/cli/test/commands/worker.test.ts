import { describe, expect, it } from 'vitest';
import { workerCommand } from '../../src/commands/worker.ts';
import { UsageError } from '../../src/errors.ts';

const broker = ['--brokers', '127.0.0.1:1', '--port', '0'];

describe('loopwatch worker --threads', () => {
  it.each([
    ['0', ['--threads', '0'], /--threads.*from 1 to/],
    ['something other than a number', ['--threads', 'many'], /--threads.*many/],
    ['0 under the older name', ['--workers', '0'], /--workers.*from 1 to/],
    [
      'a missing certificate, before starting any worker',
      ['--threads', '3', '--set', 'kafka.security_protocol=SSL', '--set', 'kafka.ssl.ca_file=/no/such.pem'],
      /^[^\n]*no\/such\.pem[^\n]*$/,
    ],
  ])('worker --threads: rejects %s', async (_what, flags, message) => {
    const run = workerCommand()
      .exitOverride()
      .parseAsync([...broker, ...flags], { from: 'user' });
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(message);
  });
});
