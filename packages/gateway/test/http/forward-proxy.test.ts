import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { modelReply, startScriptedUpstream } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { proxyFor } from '../../src/http/forward-proxy.ts';
import { GatewayBench } from '../harness.ts';

const secure = 'https://api.openai.com/v1';

describe('the proxy on the way to an upstream', () => {
  it.each<[upstream: string, env: Record<string, string>, proxy: string | undefined]>([
    [secure, {}, undefined],
    [secure, { HTTPS_PROXY: 'http://proxy:8080' }, 'proxy:8080'],
    [secure, { https_proxy: 'http://user:pw@one:1', HTTPS_PROXY: 'http://two:2' }, 'one:1'],
    [secure, { HTTPS_PROXY: 'proxy:8080' }, 'proxy:8080'],
    [secure, { ALL_PROXY: 'http://proxy:8080' }, 'proxy:8080'],
    [secure, { HTTP_PROXY: 'http://proxy:8080', HTTPS_PROXY: '' }, undefined],
    ['http://model.test/v1', { HTTP_PROXY: 'http://proxy:8080' }, 'proxy:8080'],
    [secure, { HTTPS_PROXY: 'socks5://proxy:1080' }, undefined],
    ['http://localhost:11434/v1', { HTTP_PROXY: 'http://proxy:8080' }, undefined],
    ['http://127.0.0.1:11434/v1', { HTTP_PROXY: 'http://proxy:8080' }, undefined],
    ...['*', 'openai.com', '.openai.com', 'a.test, *.openai.com', 'a.test api.openai.com:443'].map(
      (noProxy): [string, Record<string, string>, undefined] => [
        secure,
        { HTTPS_PROXY: 'http://proxy:8080', NO_PROXY: noProxy },
        undefined,
      ],
    ),
    ...['ai.com', 'api.openai.com:80', '10.0.0.0/8', '10.0.0.0/99', ',', 'openai.com.test'].map(
      (noProxy): [string, Record<string, string>, string] => [
        secure,
        { HTTPS_PROXY: 'http://proxy:8080', no_proxy: noProxy },
        'proxy:8080',
      ],
    ),
    ['http://10.1.2.3/v1', { HTTP_PROXY: 'http://proxy:8080', NO_PROXY: '10.0.0.0/8' }, undefined],
    ['http://[fd00::1]/v1', { HTTP_PROXY: 'http://proxy:8080', NO_PROXY: 'fd00::/8' }, undefined],
    ['http://11.1.2.3/v1', { HTTP_PROXY: 'http://proxy:8080', NO_PROXY: '10.0.0.0/8' }, 'proxy:8080'],
  ])('of %s with %o is %s', (upstream, env, proxy) => {
    expect(proxyFor(new URL(upstream), env)?.host).toBe(proxy);
  });
});

/** A proxy that connects whatever it is asked for to one port. */
async function startProxy(port: number | undefined): Promise<{ url: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  const server = createServer();
  server.on('connect', (request, socket) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    if (port === undefined) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://user:p%40ss@127.0.0.1:${String((server.address() as AddressInfo).port)}`, asked };
}

describe('an upstream behind a proxy', () => {
  const ask = (bench: GatewayBench) =>
    bench.openai().chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });

  it('is asked through a tunnel', async () => {
    await using upstream = await startScriptedUpstream((request) => modelReply(request, { text: 'Hello' }));
    const proxy = await startProxy(Number(new URL(upstream.url).port));
    vi.stubEnv('HTTP_PROXY', proxy.url);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await using bench = await GatewayBench.before(upstream, { 'gateway.upstream': 'http://model.test/v1' });
    for (let i = 0; i < 2; i += 1) expect((await ask(bench)).choices[0]?.message.content).toBe('Hello');
    const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([['model.test:80', login]]);
    expect(upstream.requests[0]?.headers['host']).toBe('model.test');
    expect(JSON.stringify(bench.lines)).not.toMatch(/p@ss|p%40ss/);
  });

  it('is reported as unreachable if the proxy does not connect to it', async () => {
    await using upstream = await startScriptedUpstream(() => 'never');
    vi.stubEnv('HTTP_PROXY', (await startProxy(undefined)).url);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await using bench = await GatewayBench.before(upstream, { 'gateway.upstream': 'http://model.test/v1' });
    await expect(ask(bench)).rejects.toThrow(
      /502 The proxy 127.* does not connect to model.test:80: status 407/,
    );
  });
});
