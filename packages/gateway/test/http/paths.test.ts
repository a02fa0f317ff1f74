import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { modelReply, waitFor } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { calls } from '../agent.ts';
import { GatewayBench, type Script } from '../harness.ts';

const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
const loop = [
  { role: 'user', content: 'Go' },
  ...[1, 2, 3].flatMap(() => [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'ok' },
  ]),
];

/** Sends a request to a path as it is written, which URLs would not let through. */
async function post(
  bench: GatewayBench,
  path: string,
  body: unknown,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<{ status: number; text: string }> {
  const { port } = new URL(bench.url);
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
  request.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}
const stopped = /"finish_reason":"error"|"loopwatch":/;
const read = calls('read', {});

describe('a loop is blocked, and the path is forwarded unchanged', () => {
  it.each([
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/chat/completions', '/chat/completions'],
    ['/v1//chat/completions', '/v1//chat/completions'],
    ['/V1/Chat/Completions', '/V1/Chat/Completions'],
    ['/v1/v1/chat/completions', '/v1/v1/chat/completions'],
    ['/v1/chat/completions/', '/v1/chat/completions/'],
    ['/v1/chat%2Fcompletions', '/v1/chat%2Fcompletions'],
    [
      '/openai/deployments/gpt-5/chat/completions?api-version=2026-01-01',
      '/openai/deployments/gpt-5/chat/completions?api-version=2026-01-01',
    ],
    ['/openai/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/api/v1/chat/completions?a=/v1/', '/api/v1/chat/completions?a=/v1/'],
    ['http://example.test/v1/chat/completions', '/v1/chat/completions'],
    ['HTTP://example.test:80/chat/completions?a=1', '/chat/completions?a=1'],
  ])('%s', async (path, forwarded) => {
    await using bench = await GatewayBench.start(read);
    expect((await post(bench, path, { model: 'm', messages: loop.slice(0, 3) })).text).toContain(
      'tool_calls',
    );
    expect((await post(bench, path, { model: 'm', messages: loop })).text).toMatch(stopped);
    expect(bench.upstream.requests.map(({ path: got }) => got)).toEqual([forwarded, forwarded]);
  });

  it.each(['/v1/v1/messages', '/anthropic/v1/messages', '/messages'])('%s', async (path) => {
    await using bench = await GatewayBench.start(read);
    const messages = [
      { role: 'user', content: 'Go' },
      ...[1, 2, 3].flatMap((n) => [
        { role: 'assistant', content: [{ type: 'tool_use', id: `t${String(n)}`, name: 'read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${String(n)}`, content: 'ok' }] },
      ]),
    ];
    expect((await post(bench, path, { model: 'm', messages })).text).toMatch(stopped);
  });

  it.each(['/openai/v1/responses', '/backend-api/codex/responses'])('%s', async (path) => {
    await using bench = await GatewayBench.start(read);
    const input = [
      { role: 'user', content: 'Go' },
      ...[1, 2, 3].flatMap((n) => [
        { type: 'function_call', call_id: `t${String(n)}`, name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: `t${String(n)}`, output: 'ok' },
      ]),
    ];
    expect((await post(bench, path, { model: 'm', input })).text).toMatch(stopped);
  });
});

it.each([
  '/v1beta/models/gemini-3-pro:generateContent',
  '/V1/Models/gemini-3-pro:GenerateContent?key=k',
  '/v1beta/models/gemini-3-pro%3AgenerateContent',
  '/v1beta/models/gemini-3-pro:streamGenerateContent',
  '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
  '/v1beta/tunedModels/gemini-3-pro:generateContent',
  '/v1beta/models/google%2Fgemini-3-pro:generateContent',
  '/v1beta/models/google/gemini-3-pro:generateContent',
  '/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse',
])('a loop is blocked, and the path is forwarded unchanged: %s', async (path) => {
  await using bench = await GatewayBench.start(read);
  const contents = [
    { parts: [{ text: 'Go' }] },
    ...[1, 2, 3].flatMap(() => [
      { role: 'model', parts: [{ function_call: { name: 'read', args: {} } }] },
      { role: 'function', parts: [{ function_response: { name: 'read', response: { result: 'ok' } } }] },
    ]),
  ];
  expect((await post(bench, path, { contents })).text).toMatch(/"loopwatch":.*|Tool call loop detected/);
  expect(bench.upstream.requests.map(({ path: got }) => got)).toEqual([path]);
  await bench.stop();
  expect(bench.events.at(-1)).toMatchObject({
    model: expect.stringMatching(/^(?:google\/)?gemini-3-pro$/) as string,
    backend: 'gemini',
  });
});

describe('a path with dot segments is rejected', () => {
  it.each([
    '/v1/../../admin',
    '/v1/..',
    '/v1/./chat/completions',
    '/v1/%2e%2E/admin',
    '/v1/..%2fadmin',
    '/v1/..\\..\\admin',
    'http://example.test/v1/../admin',
  ])('%s', async (path) => {
    await using bench = await GatewayBench.start(read);
    const { status, text } = await post(bench, path, {});
    expect([status, text]).toEqual([400, expect.stringContaining('"bad_path"')]);
    expect(bench.upstream.requests).toEqual([]);
  });

  it.each(['/v1/files/a..b', '/v1/files/...', '/v1/files?path=../x'])(
    '%s has no dot segments',
    async (path) => {
      await using bench = await GatewayBench.start(() => ({ json: {} }));
      expect((await post(bench, path, {})).status).toBe(200);
      expect(bench.upstream.requests[0]?.path).toBe(path);
    },
  );
});

describe('an unjudged request', () => {
  const ok: Script = () => ({ json: {} });
  const unjudged = async (bench: GatewayBench) =>
    (await bench.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('loopwatch_gateway_unjudged'));

  it.each([
    ['/v1internal:generateContent', { request: { contents: [{ parts: [] }] } }],
    ['/v1/completions/x', { tools: ['x'.repeat(200_000)], messages: [] }],
    ['/v1/agents/run', '{\n  "input"  : "Go" }'],
  ])('is logged once per path, and counted: %s', async (path, body) => {
    await using bench = await GatewayBench.start(ok);
    for (let i = 0; i < 3; i += 1)
      expect((await post(bench, `${path}?n=${String(i)}`, body)).status).toBe(200);
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    expect(bench.upstream.requests[2]?.bytes.toString()).toBe(sent);
    const lines = bench.texts('warn');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`Passed a request to ${path.toLowerCase()} through unjudged`);
    expect(lines[0]).toContain('/chat/completions, /messages, /responses, :generateContent');
    expect(await unjudged(bench)).toEqual(['loopwatch_gateway_unjudged_total{reason="path"} 3']);
  });

  it.each([
    ['/v1/embeddings', { input: 'Hi' }],
    ['/v1/messages/count_tokens', { messages: [] }],
    ['/v1/responses/input_tokens', { input: 'Hi' }],
    ['/v1/threads/t-1/messages', { role: 'user', content: 'Hi', messages: 1 }],
    ['/v1beta/models/gemini:countTokens', { contents: [] }],
    ['/v1/files', { purpose: 'batch' }],
  ])('is not logged if its response has no calls: %s', async (path, body) => {
    await using bench = await GatewayBench.start(ok);
    expect((await post(bench, path, body)).status).toBe(200);
    expect(bench.texts('warn')).toEqual([]);
    expect(await unjudged(bench)).toEqual([]);
  });

  it('an unjudged request: fails if the upstream is unreachable, and ends with its client', async () => {
    await using bench = await GatewayBench.start(() => 'hang up');
    expect((await post(bench, '/v1/agents/run', { input: 'x'.repeat(3_000_000) })).status).toBe(502);
    const { port } = new URL(bench.url);
    const headers = { 'content-type': 'application/json', 'content-length': '1000' };
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/v1/agents/other',
      method: 'POST',
      headers,
    });
    request.on('error', () => undefined);
    request.write('{"input":');
    await waitFor(() => bench.texts('warn').some((line) => line.includes('/v1/agents/other')));
    request.destroy();
    await waitFor(async () => (await bench.registry.metrics()).includes('outcome="client_gone"} 1'));
  });

  it('an unjudged request: a malformed body is logged', async () => {
    await using bench = await GatewayBench.start(ok);
    for (const body of ['{"messages":', '{"model":"m"}']) await post(bench, '/v1/chat/completions', body);
    expect(bench.texts('warn')).toHaveLength(1);
    expect(await unjudged(bench)).toEqual(['loopwatch_gateway_unjudged_total{reason="malformed"} 2']);
  });
});

it('a stream whose length the upstream announces is whole, although it ends early', async () => {
  await using bench = await GatewayBench.start((request) => {
    const reply = modelReply(request, { calls: [{ name: 'read', args: {} }] });
    if (typeof reply === 'string' || !('chunks' in reply)) return reply;
    const body = reply.chunks.filter((chunk) => typeof chunk === 'string').join('');
    const headers = {
      'content-type': 'text/event-stream',
      'content-length': String(Buffer.byteLength(body)),
    };
    return { headers, chunks: [body] };
  });
  const { text } = await post(bench, '/v1/chat/completions', { model: 'm', stream: true, messages: loop });
  expect(text).toMatch(stopped);
  expect(text.trimEnd()).toMatch(/\[DONE\]$/);
});

describe('a reply is judged by its content, whatever its content type', () => {
  it.each([
    ['Text/Event-Stream', '\n'],
    ['TEXT/EVENT-STREAM; charset=UTF-8', '\r\n'],
    ['text/plain', '\n'],
    ['application/json', '\n'],
    ['application/octet-stream', '\n'],
    ['text/event-stream', '\r'],
  ])('a stream as %s, with lines that end with %j', async (type, end) => {
    await using bench = await GatewayBench.start((request) => {
      const reply = modelReply(request, { calls: [{ name: 'read', args: {} }] });
      if (typeof reply === 'string' || !('chunks' in reply)) return reply;
      const chunks = reply.chunks.flatMap((chunk) =>
        typeof chunk === 'string' ? (chunk.replaceAll('\n', end).match(/[^]/g) ?? []) : [],
      );
      return { headers: { 'content-type': type }, chunks };
    });
    const ask = (messages: unknown) =>
      post(bench, '/v1/chat/completions', { model: 'm', stream: true, messages });
    expect((await ask(loop.slice(0, 3))).text).toContain('"tool_calls"');
    const { text } = await ask(loop);
    expect(text).toMatch(stopped);
    expect(text).not.toContain('"tool_calls"');
  });

  it('a JSON reply as text/plain', async () => {
    await using bench = await GatewayBench.start((request) => {
      const reply = modelReply(request, { calls: [{ name: 'read', args: {} }] });
      return typeof reply === 'string' ? reply : { ...reply, headers: { 'content-type': 'text/plain' } };
    });
    const { text } = await post(bench, '/v1/chat/completions', { model: 'm', messages: loop });
    expect(text).toMatch(stopped);
  });
});

describe('a WebSocket handshake', () => {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };

  it('is answered with 426 at a judged path, so that clients use HTTP at once', async () => {
    await using bench = await GatewayBench.start(read);
    const response = await fetchRaw(bench, '/v1/responses', handshake);
    expect(response.statusCode).toBe(426);
    expect(response.headers.upgrade).toBe('HTTP/1.1');
    expect(bench.upstream.requests).toEqual([]);
  });

  it('an offer to upgrade to HTTP/2, as of Java, is ignored', async () => {
    await using bench = await GatewayBench.start(read);
    const headers = {
      'content-type': 'application/json',
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAEAAEAAAAIAAAAB',
    };
    expect((await post(bench, '/v1/chat/completions', { model: 'm', messages: loop }, headers)).text).toMatch(
      stopped,
    );
    expect(bench.upstream.requests[0]?.headers).not.toHaveProperty('upgrade');
    expect(bench.upstream.requests[0]?.headers).not.toHaveProperty('http2-settings');
  });

  it('at any other path is left to the upstream', async () => {
    await using bench = await GatewayBench.start(() => ({ status: 404, json: {} }));
    expect((await fetchRaw(bench, '/v1/realtime', handshake)).statusCode).toBe(404);
  });
});

async function fetchRaw(
  bench: GatewayBench,
  path: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port: new URL(bench.url).port, path, headers });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}
