import { traceDatabase } from '@loopwatch/storage';
import { modelReply, startScriptedUpstream, waitFor } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import { recordTraces } from '../../telemetry/test/recording.ts';
import type { GatewayDeps } from '../src/index.ts';
import { GatewayBench, type Script } from './harness.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
const caller = { traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: 'vendor=1' };
const answer: Script = (request) => modelReply(request, { text: 'Hello' });

/** A gateway whose requests are recorded, in front of a scripted upstream. */
async function start(script: Script = answer, flags = {}, more: Partial<GatewayDeps> = {}) {
  const recording = await recordTraces();
  const upstream = await startScriptedUpstream(script);
  const bench = await GatewayBench.before(upstream, flags, {}, more);
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const ask = (path: string, headers: Record<string, string> = caller, model = 'gpt-5-mini') =>
    fetch(`${bench.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 's-1', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    }).then((response) => response.text());
  const { port } = new URL(upstream.url);
  return { bench, upstream, ask, recording, port: Number(port) };
}

describe('gateway with traces', () => {
  it('gateway traces: a request continues the trace of the client, and the upstream continues it', async () => {
    const { upstream, ask, recording, port } = await start();
    await ask('/v1/chat/completions?key=secret');
    const [call, request] = await recording.spans();
    expect(request).toMatchObject({
      name: 'POST /chat/completions',
      kind: 2,
      traceId,
      parentSpanId: clientSpan,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/chat/completions',
        'http.response.status_code': 200,
        'url.path': '/v1/chat/completions',
        'gen_ai.request.model': 'gpt-5-mini',
        'gen_ai.conversation.id': 's-1',
        'loopwatch.gateway.outcome': 'passed',
      },
    });
    expect(call).toMatchObject({
      name: 'POST',
      kind: 3,
      traceId,
      parentSpanId: request?.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'url.full': `http://127.0.0.1:${String(port)}/v1/chat/completions`,
        'server.address': '127.0.0.1',
        'server.port': port,
      },
    });
    expect(upstream.requests[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${String(call?.spanId)}-01`,
      tracestate: 'vendor=1',
    });
    expect(JSON.stringify([call, request])).not.toContain('secret');
  });

  it('gateway traces: without a trace of the client, a new one starts and is passed on', async () => {
    const { upstream, ask, recording } = await start();
    await ask('/v1/messages', {});
    const [call, request] = await recording.spans();
    expect(request).toMatchObject({ name: 'POST /messages', parentSpanId: '' });
    expect(upstream.requests[0]?.headers['traceparent']).toBe(
      `00-${String(request?.traceId)}-${String(call?.spanId)}-01`,
    );
  });

  it('gateway traces: a request of no known API has a span without a route', async () => {
    const { bench, recording } = await start(() => ({ json: { data: [] } }));
    await fetch(`${bench.url}/v1/models`).then((response) => response.text());
    const spans = await recording.spans();
    expect(spans.map(({ name, kind }) => `${String(kind)} ${name}`)).toEqual(['3 GET', '2 GET']);
    expect(spans[1]?.attributes['http.route']).toBeUndefined();
  });

  it('gateway traces: an upstream that fails marks the call, and the status marks the request', async () => {
    const { ask, recording } = await start(() => 'hang up');
    await ask('/v1/chat/completions');
    const [call, request] = await recording.spans();
    expect(call).toMatchObject({ attributes: { 'error.type': 'unreachable' }, status: { code: 2 } });
    expect(request).toMatchObject({
      attributes: { 'error.type': '502', 'loopwatch.gateway.outcome': 'upstream_failed' },
      status: { code: 2 },
    });
  });

  it('gateway traces: health checks and scrapes have no spans', async () => {
    const { bench, recording } = await start();
    for (const path of ['/healthz', '/readyz', '/metrics'])
      await fetch(bench.url + path).then((response) => response.text());
    expect(await recording.spans()).toEqual([]);
  });
});

it('gateway: without traces, the headers of the client are passed on unchanged', async () => {
  const upstream = await startScriptedUpstream(answer);
  await using bench = await GatewayBench.before(upstream);
  await fetch(`${bench.url}/v1/chat/completions`, { method: 'POST', headers: caller, body: '{}' });
  expect(upstream.requests[0]?.headers).toMatchObject(caller);
});

describe('gateway with traces and a database', () => {
  const emptied = sharedPglite();

  it('gateway traces: a write to the database is a trace of its own, with its transaction', async () => {
    const database = await emptied();
    const recording = await recordTraces();
    const upstream = await startScriptedUpstream((request) =>
      modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
    );
    const bench = await GatewayBench.before(
      upstream,
      {},
      {},
      {
        openDatabase: () => Promise.resolve(traceDatabase(database)),
      },
    );
    await bench.openai('s-1').chat.completions.create({
      model: 'gpt-5-mini',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    await waitFor(async () => (await database.query('select 1 from messages')).length === 2);
    await bench[Symbol.asyncDispose]();
    const spans = await recording.spans();
    const write = spans.find(({ name }) => name === 'store messages');
    expect(write).toMatchObject({ parentSpanId: '', attributes: { 'loopwatch.write.messages': 2 } });
    expect(spans.find(({ parentSpanId }) => parentSpanId === write?.spanId)).toMatchObject({
      name: 'transaction pglite',
      kind: 3,
      attributes: { 'db.system.name': 'postgresql' },
    });
  });
});
