import { once } from 'node:events';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ApiReply, freePort, modelReply, startScriptedUpstream } from '@loopwatch/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { GatewayBench, secretKey } from '../harness.ts';

/** Sends a request as it is. @returns status, headers and bytes as they came */
async function send(
  url: string,
  {
    method = 'POST',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer; whole: boolean }> {
  const request = httpRequest(url, { method, headers, agent: false, maxHeaderSize: 131_072 });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let whole = true;
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    whole = false;
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), whole };
}

const chat = { 'content-type': 'application/json', authorization: `Bearer ${secretKey}` };
const question = (stream: boolean) =>
  JSON.stringify({ model: 'gpt-5-mini', stream, input: 'Hi', messages: [{ role: 'user', content: 'Hi' }] });

/** An answer's body cut at random places. */
const chunked = (body: fc.Arbitrary<Buffer>) =>
  fc.tuple(body, fc.array(fc.nat({ max: 400 }), { maxLength: 12 })).map(([bytes, cuts]) => {
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
    return [0, ...places].map((from, i) => bytes.subarray(from, [...places, bytes.length][i]));
  });

const anyBytes = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
const textDelta = fc.string({ unit: 'binary', maxLength: 20 }).map((content) => ({ content }));
const callDelta = fc
  .record({
    index: fc.nat({ max: 2 }),
    name: fc.constantFrom('read', 'write'),
    args: fc.string({ maxLength: 12 }),
  })
  .map(({ index, name, args }) => ({
    tool_calls: [{ index, id: 'c', function: { name, arguments: args } }],
  }));
/** Longer than what may be held back, and no loop. */
const longText = Array.from({ length: 250 }, (_, i) => (i * 7_919_777).toString(36)).join(' ');
/** Streams of events as models send them, and as they should not. */
const streams = fc
  .array(
    fc.oneof(
      fc
        .oneof(textDelta, callDelta)
        .map((delta) => JSON.stringify({ id: 'x', choices: [{ index: 0, delta }] })),
      fc.constant(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
      fc.constantFrom(
        '{"type":"message_start","message":{"id":"m"}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"read"}}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
        '{"type":"response.output_item.added","item":{"type":"function_call","name":"read"}}',
        '{"type":"response.output_item.done","item":{"type":"function_call","name":"read","arguments":"{}"}}',
        '{"type":"response.output_text.delta","delta":"Hi"}',
        '{"type":"response.completed","response":{}}',
      ),
      fc.constantFrom(`{"choices":[{"delta":{"content":"${longText}"}}]}`),
      fc.constantFrom('[DONE]', '{"choices":', '', '{"error":{"message":"no"}}'),
    ),
    { maxLength: 12 },
  )
  .chain((events) =>
    fc
      .tuple(fc.constantFrom('\n', '\r\n'), fc.constantFrom('', ': note\n\n', '\n\n'), fc.boolean())
      .map(([end, prefix, complete]) => {
        const text = prefix + events.map((data) => `data: ${data}${end}${end}`).join('');
        return Buffer.from(complete ? text : text.slice(0, -1));
      }),
  );

describe('responses', () => {
  let reply: ApiReply = 'never';
  let plain: GatewayBench;
  let watching: GatewayBench;

  beforeAll(async () => {
    const upstream = await startScriptedUpstream(() => reply);
    plain = await GatewayBench.before(upstream, { enabled: false });
    watching = await GatewayBench.before(upstream, { preset: 'balanced', 'gateway.max_held_bytes': 1024 });
  });
  afterAll(async () => {
    await plain.stop();
    await watching[Symbol.asyncDispose]();
  });

  it.each<[string, () => GatewayBench, string]>([
    ['with detection off', () => plain, '/v1/chat/completions'],
    ['with detection on', () => watching, '/v1/chat/completions'],
    ['with detection on, Messages', () => watching, '/v1/messages'],
    ['with detection on, Responses', () => watching, '/v1/responses'],
    ['with detection on, Gemini', () => watching, '/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['with detection on, Gemini as a JSON array', () => watching, '/v1beta/models/m:streamGenerateContent'],
    ['from an unjudged path', () => watching, '/v1/embeddings?x=1'],
  ])('are forwarded byte for byte, however they are chunked: %s', async (_, bench, path) => {
    const types = fc.constantFrom('text/event-stream', 'application/json', 'application/octet-stream');
    await fc.assert(
      fc.asyncProperty(chunked(fc.oneof(anyBytes, streams)), types, async (chunks, type) => {
        reply = { headers: { 'content-type': type, 'x-request-id': 'r-1' }, chunks };
        const body = question(type === 'text/event-stream');
        const got = await send(bench().url + path, {
          headers: { ...chat, 'x-session-id': String(Math.random()) },
          body,
        });
        expect(got.body).toEqual(Buffer.concat(chunks));
        expect(got.headers).toMatchObject({ 'content-type': type, 'x-request-id': 'r-1' });
      }),
      { numRuns: 60 },
    );
  });
});

describe('a request', () => {
  it('a request: path, headers and body are forwarded, hop-by-hop headers are not', async () => {
    await using bench = await GatewayBench.start(() => ({ json: {} }), { enabled: false });
    const body = Buffer.from('{"messages": [ {"role":"user", "content":"ä"} ]}');
    await send(`${bench.url}/v1/chat/completions?beta=true`, {
      headers: {
        ...chat,
        'x-api-key': 'k',
        'openai-organization': 'o',
        te: 'trailers',
        connection: 'close, x-own',
        'x-own': '1',
      },
      body,
    });
    const [request] = bench.upstream.requests;
    expect(request?.path).toBe('/v1/chat/completions?beta=true');
    expect(request?.bytes).toEqual(body);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${secretKey}`,
      'x-api-key': 'k',
      'openai-organization': 'o',
      host: new URL(bench.upstream.url).host,
    });
    expect(request?.headers).not.toHaveProperty('te');
    expect(request?.headers).not.toHaveProperty('x-own');
  });

  it('a request: too large is rejected in the form of the API', async () => {
    await using bench = await GatewayBench.start(() => ({ json: {} }), { 'gateway.max_request_bytes': 1024 });
    const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: 'x'.repeat(2000) });
    expect(got.status).toBe(413);
    expect(JSON.parse(got.body.toString())).toMatchObject({
      error: { type: 'invalid_request_error', code: 'request_too_large' },
    });
    expect(bench.upstream.requests).toEqual([]);
  });

  it('a request: without a body or not in JSON is forwarded', async () => {
    await using bench = await GatewayBench.start(({ method, path }) => ({ json: { method, path } }));
    const models = await send(`${bench.url}/v1/models`, { method: 'GET' });
    expect(JSON.parse(models.body.toString())).toEqual({ method: 'GET', path: '/v1/models' });
    await send(`${bench.url}/v1/chat/completions`, { body: 'not json' });
    expect(bench.upstream.requests[1]?.bytes.toString()).toBe('not json');
  });
});

describe('an upstream', () => {
  it('an upstream: unreachable is reported as 502 in the form of the API', async () => {
    await using bench = await GatewayBench.start(() => 'hang up', {
      'gateway.upstream': `http://127.0.0.1:${String(await freePort())}/v1`,
    });
    const code = 'upstream_unreachable';
    const inOpenAi = { error: { type: 'upstream_error', code } };
    const inGemini = { error: { status: 'UNAVAILABLE', details: [{ reason: code }] } };
    for (const [path, error] of [
      ['/v1/chat/completions', inOpenAi],
      ['/v1/responses', inOpenAi],
      ['/v1/messages', { type: 'error', error: { type: 'api_error', code } }],
      ['/v1beta/models/m:generateContent', inGemini],
      ['/v1/embeddings', inOpenAi],
    ] as const) {
      const got = await send(bench.url + path, { headers: chat, body: question(false) });
      expect(got.status).toBe(502);
      const message: unknown = expect.stringMatching(/ECONNREFUSED.*gateway\.upstream/);
      expect(JSON.parse(got.body.toString())).toMatchObject({ ...error, error: { ...error.error, message } });
    }
    expect(JSON.stringify(bench.lines)).not.toContain(secretKey);
  });

  it('an upstream: a connect or response timeout is reported as 504', async () => {
    await using bench = await GatewayBench.start(() => 'never', { 'gateway.response_timeout_seconds': 0.05 });
    const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(false) });
    expect(got.status).toBe(504);
    expect(JSON.parse(got.body.toString())).toMatchObject({
      error: {
        code: 'upstream_timeout',
        message: expect.stringContaining('gateway.response_timeout_seconds'),
      },
    });
  });

  it('an upstream: a closed connection is reported as 502', async () => {
    await using bench = await GatewayBench.start(() => 'hang up');
    const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(true) });
    expect(got.status).toBe(502);
  });

  it.each<[string, string, ('answers' | 'hang up')[], number]>([
    ['is sent again', '/v1/chat/completions', ['answers', 'hang up', 'answers'], 200],
    ['is sent again once only', '/v1/chat/completions', ['answers', 'hang up', 'hang up'], 502],
    ['is not sent again if its body was streamed', '/v1/files', ['answers', 'hang up'], 502],
  ])(
    'an upstream: a request on a connection that was closed while idle %s',
    async (_, path, replies, status) => {
      await using bench = await GatewayBench.start((_request, index) =>
        replies[index] === 'answers' ? { json: {} } : 'hang up',
      );
      expect((await send(bench.url + path, { headers: chat, body: question(false) })).status).toBe(200);
      expect((await send(bench.url + path, { headers: chat, body: question(false) })).status).toBe(status);
      expect(bench.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual(
        replies.map(() => question(false)),
      );
    },
  );

  it('an upstream: a request is sent again on a new connection if others were closed while idle, too', async () => {
    const used = new WeakSet<Socket>();
    const waiting: ServerResponse[] = [];
    const upstream = createHttpServer((incoming, response) => {
      if (used.has(incoming.socket)) {
        incoming.socket.destroy();
        return;
      }
      used.add(incoming.socket);
      waiting.push(response);
      // The first three are answered together, so that each has a connection of its own.
      if (waiting.length >= 3) for (const each of waiting) each.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const flags = { 'gateway.upstream': `http://127.0.0.1:${String(port)}/v1` };
    await using bench = await GatewayBench.start(() => 'never', flags);
    const ask = () => send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(false) });
    expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask()).status).toBe(200);
  });

  it.each([true, false])(
    'an upstream: a stall ends the response with an error (detection %s)',
    async (enabled) => {
      const chunk = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';
      await using bench = await GatewayBench.start(() => ({ chunks: [chunk], then: 'hang' }), {
        enabled,
        'gateway.stall_timeout_seconds': 0.05,
      });
      const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(true) });
      expect(got.body.toString()).toContain(chunk);
      if (enabled) expect(got.body.toString()).toContain('"code":"upstream_stalled"');
      else expect(got.whole).toBe(false);
      expect(bench.texts('warn')).toEqual([
        expect.stringContaining('stalled in the middle of its response (gateway.stall_timeout_seconds)'),
      ]);
      expect(await bench.registry.metrics()).toContain(
        'loopwatch_gateway_upstream_failures_total{failure="stalled"} 1',
      );
    },
  );

  it.each([true, false])(
    'an upstream: an aborted response aborts the one to the client (detection %s)',
    async (enabled) => {
      const chunk = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: {"cho';
      await using bench = await GatewayBench.start(() => ({ chunks: [chunk], then: 'cut' }), { enabled });
      const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(true) });
      expect(got).toMatchObject({ status: 200, whole: false, body: Buffer.from(chunk) });
    },
  );

  it.each([429, 500, 529])('an upstream: status %d is passed through', async (status) => {
    const error = { error: { message: 'no', type: 'x' } };
    await using bench = await GatewayBench.start(() => ({
      status,
      headers: { 'retry-after': '2' },
      json: error,
    }));
    const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(true) });
    expect(got.status).toBe(status);
    expect(got.headers['retry-after']).toBe('2');
    expect(JSON.parse(got.body.toString())).toEqual(error);
  });

  it.each([301, 302, 303, 307, 308])(
    'an upstream: a redirect with %d is passed through, not followed',
    async (status) => {
      await using elsewhere = await startScriptedUpstream(() => ({ json: { from: 'elsewhere' } }));
      await using bench = await GatewayBench.start(() => ({
        status,
        headers: { location: `${elsewhere.url}/chat/completions` },
        chunks: [],
      }));
      for (const path of ['/v1/chat/completions', '/v1/files']) {
        const got = await send(`${bench.url}${path}`, { headers: chat, body: question(false) });
        expect(got).toMatchObject({ status, headers: { location: `${elsewhere.url}/chat/completions` } });
      }
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it('heads of a request and of its response may be as large as load balancers accept', async () => {
    const long = 'x'.repeat(50_000);
    await using bench = await GatewayBench.start(() => ({ headers: { 'x-long': long }, json: {} }));
    for (const path of ['/v1/chat/completions', '/v1/models']) {
      const headers = { ...chat, 'x-long': long };
      const got = await send(`${bench.url}${path}`, { headers, body: question(false) });
      expect(got).toMatchObject({ status: 200, headers: { 'x-long': long } });
      expect(bench.upstream.requests.at(-1)?.headers['x-long']).toBe(long);
    }
  });

  it('an upstream: is aborted when the client disconnects', async () => {
    await using bench = await GatewayBench.start(() => ({ chunks: ['data: {}\n\n'], then: 'hang' }));
    const request = httpRequest(`${bench.url}/v1/chat/completions`, { method: 'POST', headers: chat });
    request.end(question(true));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.destroy();
    expect(await bench.upstream.requests[0]?.closed).toBe('client gone');
  });

  it('an upstream: a response in an unsupported coding is passed through and counted as unjudged', async () => {
    await using bench = await GatewayBench.start(() => ({
      headers: { 'content-type': 'application/json', 'content-encoding': 'x-own' },
      chunks: [Buffer.from([31, 139, 8, 0])],
    }));
    const got = await send(`${bench.url}/v1/chat/completions`, { headers: chat, body: question(false) });
    expect([...got.body]).toEqual([31, 139, 8, 0]);
    expect(bench.upstream.requests[0]?.headers['accept-encoding']).toBe('identity');
    expect(await bench.registry.metrics()).toContain('loopwatch_gateway_unjudged_total{reason="encoded"} 1');
  });
});

describe('the gateway’s own paths', () => {
  it('own paths: health, readiness and metrics are served', async () => {
    await using bench = await GatewayBench.start((request) => modelReply(request, { text: 'Hi' }));
    await bench
      .openai('s')
      .chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    const [health, ready, metrics] = await Promise.all(
      ['healthz', 'readyz', 'metrics'].map((path) => send(`${bench.url}/${path}`, { method: 'GET' })),
    );
    expect(JSON.parse(health?.body.toString() ?? '')).toEqual({ status: 'ok' });
    expect(JSON.parse(ready?.body.toString() ?? '')).toMatchObject({
      status: 'ready',
      checks: { log: { ok: true } },
    });
    expect(metrics?.body.toString()).toContain(
      'loopwatch_gateway_requests_total{api="chat",outcome="passed"} 1',
    );
    expect(metrics?.body.toString()).toContain('loopwatch_active_sessions 1');
  });

  it.each(['healthz', 'readyz', 'metrics'])('own paths: /%s is served with any query', async (path) => {
    await using bench = await GatewayBench.start(() => ({ json: {} }));
    expect((await send(`${bench.url}/${path}?probe=1`, { method: 'GET' })).status).toBe(200);
    expect(bench.upstream.requests).toHaveLength(0);
  });

  it('start: rejects when the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(GatewayBench.start(() => 'never', { 'gateway.port': port })).rejects.toThrow('EADDRINUSE');
    taken.close();
  });
});
