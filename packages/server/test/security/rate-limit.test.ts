import { expect, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer } from '../running-server.ts';

const emptyDatabase = sharedPglite();

it.each([
  ['GET', '/api/v1/stats', true],
  ['GET', '/v1/traces', true],
  ['POST', '/api/v1/events', false],
  ['POST', '/v1/traces', false],
  ['POST', '/api/v1/decide', false],
  ['POST', '/api/v1/hooks/claude-code', false],
  ['GET', '/api/v1/decide', true],
  ['POST', '/api/v1/hooks/unknown-agent', true],
  ['POST', '/v1/logs', false],
])('%s %s counts among the requests of an address: %s', async (method, path, isCounted) => {
  const { url, server } = await startServer({ openDatabase: emptyDatabase });
  onTestFinished(() => server.stop());
  const { headers } = await fetch(url + path, { method });
  expect(headers.has('ratelimit')).toBe(isCounted);
});
