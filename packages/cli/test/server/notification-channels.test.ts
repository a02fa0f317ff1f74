import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notificationSchema } from '@loopwatch/contract';
import { tempDir } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { notificationChannels } from '../../src/server/notification-channels.ts';

const channelsOf = (entry: object, environment: Record<string, string> = {}) =>
  notificationChannels({ notifications: [notificationSchema.parse({ name: 'ops', ...entry })] }, environment);

it('receivers: secrets are read from the environment and from files', async () => {
  await using folder = await tempDir();
  const file = join(folder.path, 'key');
  writeFileSync(file, 'from-file\n');
  expect(channelsOf({ type: 'slack', url_env: 'HOOK' }, { HOOK: 'https://hooks.test/x' })).toMatchObject([
    { url: 'https://hooks.test/x' },
  ]);
  expect(channelsOf({ type: 'pagerduty', routing_key_file: file })).toMatchObject([
    { routing_key: 'from-file' },
  ]);
  expect(
    channelsOf({ type: 'otlp', headers_env: 'HEADERS' }, { HEADERS: 'authorization=Basic%20eA==, x-a=b' }),
  ).toMatchObject([{ headers: { authorization: 'Basic eA==', 'x-a': 'b' } }]);
});

it.each([
  [
    { type: 'slack', url_env: 'HOOK' },
    {},
    'notifications: ops: url_env: the environment variable HOOK is not set',
  ],
  [
    { type: 'slack', url_env: 'HOOK' },
    { HOOK: 'very-secret' },
    'notifications: ops: url: must be a URL, such as https://example.com',
  ],
  [{ type: 'pagerduty', routing_key_file: '/nowhere/key' }, {}, 'cannot read /nowhere/key'],
])('receivers: %j is rejected by name, without the secret', (entry, environment, message) => {
  expect(() => channelsOf(entry, environment)).toThrow(message);
  expect(() => channelsOf(entry, environment)).not.toThrow('very-secret');
});
