import { describe, expect, it } from 'vitest';
import { workerCommand } from '../../src/commands/worker.ts';
import { UsageError } from '../../src/errors.ts';

const broker = ['--brokers', '127.0.0.1:1', '--port', '0'];

describe('loopwatch worker --workers', () => {
  it.each([
    ['0', ['--workers', '0'], /--workers.*from 1 to/],
    ['something other than a number', ['--workers', 'many'], /--workers.*many/],
    [
      'a missing certificate, before starting any worker',
      ['--workers', '3', '--set', 'kafka.security_protocol=SSL', '--set', 'kafka.ssl.ca_file=/no/such.pem'],
      /^[^\n]*no\/such\.pem[^\n]*$/,
    ],
  ])('worker --workers: rejects %s', async (_what, flags, message) => {
    const run = workerCommand()
      .exitOverride()
      .parseAsync([...broker, ...flags], { from: 'user' });
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(message);
  });
});
