import { expect, it } from 'vitest';
import { post } from '../../src/notifications/post.ts';

it.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0251.0376.0251.0376/',
  'http://0xa9fea9fe/',
  'http://0xa9.254.0251.254/',
  'http://169.254.43518/',
  'http://169.254.169.254./',
  'http://169。254。169。254/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://100.100.100.200/latest/meta-data/',
  'http://1684301000/',
  'http://[::ffff:100.100.100.200]/',
  'http://[fd00:ec2::254]/',
  'http://[fd00:0ec2:0:0:0:0:0:23]/v1/credentials',
  'http://[fd20:ce::254]/computeMetadata/v1/',
  'http://[fd00:42::42]/',
  'http://168.63.129.16/machine/?comp=goalstate',
  'http://192.0.0.192/latest/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[64:ff9b:1::a9fe:a9fe]/',
  'http://[::ffff:0:a9fe:a9fe]/',
  'http://[::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::1]/',
])('notifications: nothing is posted to %s, where clouds serve credentials', async (url) => {
  const { signal } = new AbortController();
  expect(await post({ url, body: '{}', signal })).toEqual({
    outcome: 'refused',
    reason: 'addresses where clouds serve credentials (link-local ones and a few others) are not allowed',
  });
});

it('notifications: a name server that does not answer holds a message no longer than its time-out', async () => {
  const stop = new AbortController();
  const request = { url: 'http://slow.example/', body: '{}', signal: stop.signal };
  const posted = post(request, () => new Promise(() => undefined));
  stop.abort(new Error('too late'));
  expect(await posted).toEqual({ outcome: 'retry', reason: 'too late' });
});
