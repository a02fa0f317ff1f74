import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer, topics } from '../running-server.ts';
import { START } from '../verdicts.ts';

const emptyDatabase = sharedPglite();

it.each(['none', 'gzip'])('takes the spans of the SDK for Python, compression %s', async (compression) => {
  const { url, log, server } = await startServer({ openDatabase: emptyDatabase, now: () => START });
  onTestFinished(() => server.stop());
  const script = join(import.meta.dirname, 'otlp-spans.py');
  const { stderr } = await promisify(execFile)(
    inject('clientsPython'),
    [script, `${url}/v1/traces`, compression],
    {
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
    },
  );
  expect(stderr).toBe('');
  expect(
    log
      .values(topics.events)
      .map((event) => [Reflect.get(Object(event), 'type'), Reflect.get(Object(event), 'callId')]),
  ).toEqual(
    ['call-1', 'call-2', 'call-3'].flatMap((id) => [
      ['tool_call_request', id],
      ['tool_result', id],
    ]),
  );
});
