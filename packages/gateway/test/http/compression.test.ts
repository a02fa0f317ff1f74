import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type ApiReply, type ApiRequest, modelReply, waitFor, zstdFrame } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent } from '../agent.ts';
import { GatewayBench, type Script } from '../harness.ts';

const codings: readonly [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdFrame],
];

/** An upstream that compresses although it is asked not to. */
const compressing =
  (coding: string, pack: (bytes: Buffer) => Buffer, reply: (request: ApiRequest) => ApiReply): Script =>
  (request) => {
    const said = reply(request);
    if (typeof said === 'string') return said;
    const isJson = 'json' in said;
    const whole = isJson
      ? JSON.stringify(said.json)
      : said.chunks.filter((chunk) => typeof chunk === 'string').join('');
    const packed = pack(Buffer.from(whole));
    return {
      headers: {
        'content-type': isJson ? 'application/json' : 'text/event-stream',
        'content-encoding': coding,
        'content-length': String(packed.length),
      },
      chunks: Array.from({ length: Math.ceil(packed.length / 50) }, (_, i) =>
        packed.subarray(50 * i, 50 * (i + 1)),
      ),
    };
  };
const read = (request: ApiRequest) =>
  modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] });

describe.each([false, true])('a compressed reply is judged (streamed: %s)', (stream) => {
  it.each(codings)('%s', async (coding, pack) => {
    await using bench = await GatewayBench.start(compressing(coding, pack, read));
    const got = await new Agent(bench, stream).turns(4);
    expect(got.map(({ finish }) => finish)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    expect(bench.texts('error')).toEqual([]);
  });

  it('a compressed reply: the second one after a chance is judged too', async () => {
    await using bench = await GatewayBench.start(compressing('gzip', gzipSync, read), {
      'tool_call_loop.mode': 'chance_then_break',
    });
    expect((await new Agent(bench, stream).turns(4))[3]?.finish).toBe('error');
    expect(bench.upstream.requests).toHaveLength(5);
  });

  it('a compressed reply: an unsupported coding is passed through and counted', async () => {
    await using bench = await GatewayBench.start(compressing('x-rot', (bytes) => bytes, read));
    await new Agent(bench, stream).turn().catch(() => undefined);
    expect(await bench.registry.metrics()).toContain('unjudged_total{reason="encoded"} 1');
  });

  it('a compressed reply: invalid or truncated data fails like an aborted response', async () => {
    for (const pack of [
      (bytes: Buffer) => gzipSync(bytes).subarray(0, -20),
      (bytes: Buffer) => Buffer.concat([gzipSync(bytes).subarray(0, 40), bytes]),
    ]) {
      await using bench = await GatewayBench.start(compressing('gzip', pack, read));
      await expect(new Agent(bench, stream).turn()).rejects.toThrow();
      expect(bench.texts('warn')[0]).toContain('is invalid');
      expect(await bench.registry.metrics()).toContain('upstream_failures_total{failure="cut"} 1');
    }
  });

  it('a compressed reply: a decompression bomb is aborted', async () => {
    const bomb = (request: ApiRequest) => modelReply(request, { text: 'a'.repeat(400_000) });
    await using bench = await GatewayBench.start(compressing('gzip', gzipSync, bomb), {
      'gateway.max_held_bytes': 1024,
    });
    await expect(new Agent(bench, stream).turn()).rejects.toThrow();
    expect(bench.texts('warn').at(-1)).toContain('expands to more than 16384 bytes');
  });

  it('a compressed reply: a zstd window of gigabytes is rejected', async () => {
    const huge = () => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8]), Buffer.alloc(40)]);
    await using bench = await GatewayBench.start(compressing('zstd', huge, read));
    await expect(new Agent(bench, stream).turn()).rejects.toThrow();
    expect(bench.texts('warn')[0]).toContain('larger than 8 MiB');
  });
});

it('a client that reads nothing pauses a compressed reply, and may disconnect', async () => {
  const long = (request: ApiRequest) => {
    const text = Array.from({ length: 60_000 }, (_, i) => (i * 7_919_777).toString(36)).join(' ');
    return modelReply(request, { text });
  };
  await using bench = await GatewayBench.start(compressing('gzip', gzipSync, long));
  const { port } = new URL(bench.url);
  const request = httpRequest({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST' });
  request.end(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.headers).not.toHaveProperty('content-encoding');
  await once(response, 'readable');
  response.destroy();
  const left = 'loopwatch_gateway_requests_total{api="chat",outcome="client_gone"} 1';
  await waitFor(async () => (await bench.registry.metrics()).includes(left));
});

describe('a compressed request', () => {
  const post = async (bench: GatewayBench, body: Buffer, coding: string) => {
    const { port } = new URL(bench.url);
    const headers = {
      'content-encoding': coding,
      'content-length': String(body.length),
      'x-session-id': 's',
    };
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      headers,
      path: '/v1/chat/completions',
      method: 'POST',
      agent: false,
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  };
  const question = (content: string) =>
    Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }));

  it.each(codings.slice(0, 5))(
    'a compressed request: is judged and forwarded unchanged: %s',
    async (coding, pack) => {
      await using bench = await GatewayBench.start(read);
      const body = pack(question('Go'));
      for (let i = 0; i < 3; i += 1) expect(await post(bench, body, coding)).toContain('tool_calls');
      expect(await post(bench, body, coding)).toContain('"finish_reason":"error"');
      const [first] = bench.upstream.requests;
      expect([first?.bytes, first?.headers['content-encoding']]).toEqual([body, coding]);
    },
  );

  it('a compressed request: is forwarded as plain JSON if it was changed', async () => {
    await using bench = await GatewayBench.start(read);
    await post(bench, gzipSync(question('!/set(tool-loop-max-repeats=3)\nGo')), 'gzip');
    const [first] = bench.upstream.requests;
    expect(first?.headers).not.toHaveProperty('content-encoding');
    expect(first?.json).toMatchObject({ messages: [{ role: 'user', content: 'Go' }] });
  });

  it.each<[string, string, Buffer]>([
    ['an unsupported coding', 'zstd', zstdFrame(question('Go'))],
    ['invalid data', 'gzip', question('Go')],
    ['a decompression bomb', 'gzip', gzipSync(question('a'.repeat(100_000)))],
  ])('a compressed request: %s is passed through and counted', async (_, coding, body) => {
    await using bench = await GatewayBench.start(() => ({ json: { ok: 1 } }), {
      'gateway.max_request_bytes': 20_000,
    });
    expect(await post(bench, body, coding)).toBe('{"ok":1}');
    expect(bench.upstream.requests[0]?.bytes).toEqual(body);
    expect(bench.texts('warn')[0]).toContain('its content encoding is not supported');
    expect(await bench.registry.metrics()).toContain('unjudged_total{reason="encoded"} 1');
  });
});
