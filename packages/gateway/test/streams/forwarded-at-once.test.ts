import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';
import { apis, call, Gate, read, readStream, user } from './streamed-requests.ts';

describe.each(apis)('$name, streamed', ({ path, body, end, callEnd, keepAlive }) => {
  it('streams: a call is forwarded as soon as it is complete and judged', async () => {
    const gate = new Gate();
    await using bench = await GatewayBench.start((request) =>
      gate.before(modelReply(request, { text: 'Two.', calls: [read, call('grep', 'b')] }), end),
    );
    let early = '';
    await readStream(bench, path, body, (_, all) => {
      // The arguments of the first call, put together from their parts.
      if (all.includes('\\"a\\"}')) {
        early ||= all;
        gate.open();
      }
    });
    expect(early).toContain('read_file');
    expect(early).not.toContain('[DONE]');
  });

  it('streams: a keep-alive is forwarded at once, although a call before it is held back', async () => {
    const gate = new Gate();
    await using bench = await GatewayBench.start((request) =>
      gate.before(modelReply(request, { calls: [read] }), callEnd, keepAlive),
    );
    let early = '';
    const whole = await readStream(bench, path, body, (_, all) => {
      if (!all.includes(keepAlive)) return;
      early ||= all;
      gate.open();
    });
    expect(early).toContain(keepAlive);
    expect(early).not.toContain('read_file');
    expect(whole).toContain('read_file');
  });
});

describe.each(apis)('$name, not streamed', ({ path, body }) => {
  const ask = (bench: GatewayBench, more = {}) =>
    fetch(`${bench.url}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 's-1' },
      body: JSON.stringify({ model: 'm', ...body, ...more }),
    });

  it.each([false, true])(
    'empty lines before a reply are forwarded at once, and it is judged (streamed: %s)',
    async (stream) => {
      let gate = Promise.resolve();
      await using bench = await GatewayBench.start((request) => {
        const reply = modelReply({ ...request, json: { ...request.json, stream: false } }, { calls: [read] });
        const json = typeof reply === 'object' && 'json' in reply ? JSON.stringify(reply.json) : '';
        const headers = { 'content-type': 'application/json' };
        return { headers, chunks: ['\n'.repeat(8), '\r\n', gate, json] };
      });
      for (let i = 0; i < 3; i += 1)
        expect(await (await ask(bench, { stream })).text()).toMatch(/^\n{8}\r\n\{.*read_file/);
      if (stream) return;
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      let text = '';
      for await (const chunk of (await ask(bench)).body ?? []) {
        text += new TextDecoder().decode(chunk);
        open();
      }
      expect(text.trimStart()).toMatch(/^\{.*Tool call loop detected/);
      expect(await bench.registry.metrics()).not.toContain('unjudged_total{');
    },
  );
});

it('streams: text after a call is forwarded at once', async () => {
  const gate = new Gate();
  const event = (data: { readonly type: string } & Record<string, unknown>): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = {
    id: 'm-1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  await using bench = await GatewayBench.start(() => ({
    headers: { 'content-type': 'text/event-stream' },
    chunks: [
      event({ type: 'message_start', message }),
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't-1', name: 'read_file', input: {} },
      }),
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{}' },
      }),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'behind it' } }),
      gate.opened,
      event({ type: 'content_block_stop', index: 1 }),
      event({
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      event({ type: 'message_stop' }),
    ],
  }));
  let early = '';
  await readStream(bench, '/messages', { messages: user, max_tokens: 10 }, (_, all) => {
    if (!all.includes('behind it')) return;
    early ||= all;
    gate.open();
  });
  expect(early).toContain('read_file');
  expect(early).not.toContain('message_stop');
});
