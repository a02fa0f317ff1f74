import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SessionAnalyzer } from '@loopwatch/detectors/internal';
import { modelReply, waitFor } from '@loopwatch/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Agent, calls } from './agent.ts';
import { GatewayBench } from './harness.ts';

afterEach(() => void vi.restoreAllMocks());

describe.each([false, true])('failing detection (streamed: %s)', (stream) => {
  it('failing detection: the request passes, the fault is logged at ERROR and counted', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const push = vi.spyOn(SessionAnalyzer.prototype, 'push');
    push.mockImplementation(() => {
      throw new Error('not thought of');
    });
    const agent = new Agent(bench, stream, 's-1');
    expect((await agent.turns(5)).every(({ finish }) => finish === 'tool_calls')).toBe(true);
    expect(await bench.registry.metrics()).toMatch(/loopwatch_detection_faults_total [1-9]/);
    expect(bench.lines.find(({ level }) => level === 'error')).toMatchObject({
      msg: expect.stringContaining('Detection failed on an event'),
      sessionId: 's-1',
      err: { message: 'not thought of' },
    });
    push.mockRestore();
    expect((await agent.turns(4)).at(-1)?.finish).toBe('error');
  });
});

describe('many streams', () => {
  it('many streams: memory of a thousand streams is bounded by what they hold', async () => {
    const open: ServerResponse[] = [];
    // Text that says something new each time, and has one length.
    const chunk = (n: number): string => {
      const content = `${(n * 7_919_777).toString(36).padStart(8, 'q')} `;
      return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`;
    };
    const upstream = createServer((incoming, response) => {
      incoming.resume().once('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk(0));
        open.push(response);
      });
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const flags = { 'gateway.upstream': `http://127.0.0.1:${String(port)}/v1`, preset: 'balanced' };
    const bench = await GatewayBench.start(() => 'never', flags);
    bench.sink.records.push = () => 0;
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        const headers = { 'content-type': 'application/json', 'x-session-id': `s-${String(i)}` };
        const request = httpRequest(`${bench.url}/v1/chat/completions`, {
          method: 'POST',
          headers,
          agent: false,
        });
        request.end(
          JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
        );
        const [answer] = (await once(request, 'response')) as [IncomingMessage];
        let bytes = 0;
        answer.on('data', (data: Buffer) => {
          bytes += data.length;
        });
        return { ended: once(answer, 'end'), bytes: () => bytes };
      }),
    );
    await waitFor(() => open.length === 1000);
    for (let n = 1; n <= 50; n += 1) for (const response of open) response.write(chunk(n));
    await waitFor(() => answers.every(({ bytes }) => bytes() === 51 * chunk(0).length));
    // Client, upstream and gateway are in this process: three sockets and some buffers for each stream.
    expect((process.memoryUsage().rss - before) / 1000).toBeLessThan(400_000);
    for (const response of open) response.end('data: [DONE]\n\n');
    await Promise.all(answers.map(({ ended }) => ended));
    expect(await bench.registry.metrics()).toContain('loopwatch_active_sessions 1000');
    await bench[Symbol.asyncDispose]();
    upstream.close();
  });

  it('many streams: a client that does not read slows the upstream instead of filling memory', async () => {
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) } }] })}\n\n`;
    let written = 0;
    const upstream = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (written < 200_000_000) {
          written += piece.length;
          if (!response.write(piece)) return;
        }
      };
      response.on('drain', more);
      more();
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const bench = await GatewayBench.start(() => 'never', {
      'gateway.upstream': `http://127.0.0.1:${String(port)}/v1`,
      'gateway.publish_events': false,
    });
    const request = httpRequest(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    request.end(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    // The client does not read: while others are served the upstream comes to a halt, once the sockets in between are full.
    for (let i = 0; i < 300; i += 1) await (await fetch(`${bench.url}/healthz`)).text();
    expect(written).toBeLessThan(60_000_000);
    answer.destroy();
    await bench[Symbol.asyncDispose]();
    upstream.closeAllConnections();
    upstream.close();
  });
});

describe('an upstream with malformed replies', () => {
  it.each([
    ['an endless line', ['data: ', 'x'.repeat(6_000), 'y'.repeat(6_000), '\n\ndata: [DONE]\n\n']],
    [
      'an event followed by the start of an oversized one',
      [`data: {"choices":[]}\n\ndata: ${'x'.repeat(6_000)}`, '\n\ndata: [DONE]\n\n'],
    ],
    ['truncated JSON', ['data: {"choices":[{"delta":{"tool_calls":[{"function":\n\n', 'data: [DONE]\n\n']],
    [
      'a reply with wrong types',
      [
        'data: {"choices":{"a":1},"usage":[]}\n\n',
        'data: {"choices":[{"delta":{"tool_calls":[{"index":{}},7]}}]}\n\n',
        'data: 7\n\n',
      ],
    ],
    ['an empty reply', []],
    [
      'an unfinished call',
      [
        'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{"}}]}}]}\n\n',
      ],
    ],
  ])('%s is passed through unchanged', async (_, chunks) => {
    await using bench = await GatewayBench.start(() => ({ chunks }), { 'gateway.max_held_bytes': 4096 });
    const response = await fetch(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(await response.text()).toBe(chunks.join(''));
    expect(bench.texts('error')).toEqual([]);
  });

  it.each(['chat/completions', 'messages', 'responses'])(
    'malformed requests to %s are forwarded',
    async (path) => {
      const bodies = [
        '',
        '[]',
        'null',
        '{"messages":7,"input":7}',
        '{"messages":[null,7,{"role":7},{"role":"user"}],"input":[null,7,{}]}',
      ];
      await using bench = await GatewayBench.start(() => ({ json: {} }));
      for (const body of bodies) {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${bench.url}/v1/${path}`, { method: 'POST', headers, body });
        expect(response.status).toBe(200);
      }
      expect(bench.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual(bodies);
      expect(bench.texts('error')).toEqual([]);
    },
  );
});

it('concurrent requests of one session are all answered', async () => {
  await using bench = await GatewayBench.start((request) => modelReply(request, { text: 'ok' }));
  const ask = async (n: number) =>
    (
      await bench
        .openai('s')
        .chat.completions.create({ model: 'm', messages: [{ role: 'user', content: `Q ${String(n)}` }] })
    ).choices[0]?.message.content;
  expect(await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)))).toEqual(Array(40).fill('ok'));
});
