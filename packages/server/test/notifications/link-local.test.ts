import { expect, it } from 'vitest';
import { post } from '../../src/notifications/post.ts';

it.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
])('notifications: nothing is posted to %s, where clouds serve credentials', async (url) => {
  const { signal } = new AbortController();
  expect(await post({ url, body: '{}', signal })).toEqual({
    outcome: 'refused',
    reason: 'link-local addresses are not allowed',
  });
});

it('notifications: a name server that does not answer holds a message no longer than its time-out', async () => {
  const stop = new AbortController();
  const request = { url: 'http://slow.example/', body: '{}', signal: stop.signal };
  const posted = post(request, () => new Promise(() => undefined));
  stop.abort(new Error('too late'));
  expect(await posted).toEqual({ outcome: 'retry', reason: 'too late' });
});
