import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { listenFailure, listenForHealth } from '../../src/runtime/http.ts';

const listen = (host: string) =>
  listenForHealth({ host, port: 0 }, () => Promise.resolve({}), new Registry());

it.each([
  ['192.0.2.1', 'Cannot listen on 192.0.2.1, port 0: EADDRNOTAVAIL. Correct the host in the configuration.'],
  [
    'nowhere.invalid',
    /^The host nowhere\.invalid has no address here \(E[A-Z_]+\)\. Correct it in the configuration\.$/,
  ],
])('listenForHealth: says what to do about the host %s', async (host, message) => {
  await expect(listen(host)).rejects.toMatchObject({
    name: 'UsageError',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
});

it('listenForHealth: says what the port has, for a browser on the wrong port', async () => {
  const health = await listen('127.0.0.1');
  onTestFinished(() => health.stop());
  const answer = await fetch(`http://127.0.0.1:${String(health.port)}/incidents`);
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('/healthz, /readyz and /metrics'),
  ]);
});

it.each([
  ['EADDRINUSE', /^Port 80 is in use\. .* another port with --port\.$/],
  ['EACCES', /^This user may not listen on port 80\. Choose another port with --port\.$/],
])('listenFailure: %s', (code, message) => {
  expect(listenFailure(Object.assign(new Error('x'), { code, syscall: 'listen' }), 80).message).toMatch(
    message,
  );
});

it('listenFailure: leaves other errors as they are', () => {
  const error = new Error('x');
  expect(listenFailure(error, 80)).toBe(error);
});
