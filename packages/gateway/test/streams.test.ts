import { type ApiReply, type ModelOutput, modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent, ask, sent } from './agent.ts';
import { apiCases } from './api-agents.ts';
import { GatewayBench } from './harness.ts';

const call = (name: string, path: string) => ({ name, args: { path } });
const read = call('read_file', 'a');

/** A gate in an answer: what is behind it is sent once it is open. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  /** Puts it before the first piece that a test accepts. */
  before(reply: ApiReply, test: (piece: string) => boolean): ApiReply {
    if (typeof reply !== 'object' || !('chunks' in reply)) throw new Error('an answer that is no stream');
    const at = reply.chunks.findIndex((chunk) => typeof chunk === 'string' && test(chunk));
    if (at === -1) throw new Error('no piece to put the gate before');
    return { ...reply, chunks: [...reply.chunks.slice(0, at), this.opened, ...reply.chunks.slice(at)] };
  }
}

/** Reads a stream of server-sent events, and tells each of its objects. */
async function readStream(
  bench: GatewayBench,
  path: string,
  body: object,
  onEvent: (event: Record<string, unknown>, all: string) => void,
): Promise<string> {
  const response = await fetch(`${bench.url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': 's-1' },
    body: JSON.stringify({ model: 'm', stream: true, ...body }),
  });
  let text = '';
  let told = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n').slice(0, -1);
    for (const event of events.slice(told)) {
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
      if (data !== '[DONE]') onEvent(JSON.parse(data) as Record<string, unknown>, text);
    }
    told = events.length;
  }
  return text;
}

const user = [{ role: 'user', content: 'Go on' }];
/** How each API is asked, and by what a call is known to be complete in its stream. */
const apis = [
  {
    name: 'Chat Completions',
    path: '/chat/completions',
    body: { messages: user },
    end: (piece: string) => piece.includes('"finish_reason":"tool_calls"'),
  },
  {
    name: 'Messages',
    path: '/messages',
    body: { messages: user, max_tokens: 100 },
    end: (piece: string) => piece.includes('message_delta'),
  },
  {
    name: 'Responses',
    path: '/responses',
    body: { input: user },
    end: (piece: string) => piece.includes('response.completed'),
  },
] as const;

describe.each(apis)('$name, streamed', ({ path, body, end }) => {
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
});

describe('a reply with a blocked later call', () => {
  const same = [read, read, read, read];
  it.each([
    { name: 'Chat Completions', finish: 'error' },
    // A client that goes by the reason would otherwise not make them, and could not go on for want of their results.
    { name: 'Messages', finish: 'tool_use' },
    { name: 'Responses', finish: 'calls' },
    { name: 'Gemini', finish: 'calls' },
    { name: 'Gemini, as a JSON array', finish: 'calls' },
  ])('continues with the calls before it, and reports the block ($name)', async ({ name, finish }) => {
    await using bench = await GatewayBench.start((request) => modelReply(request, { calls: same }));
    const api = apiCases.find((each) => each.name === name);
    if (api === undefined)
      throw new Error(`no API ${name}; there are ${apiCases.map((each) => each.name).join(', ')}`);
    const agent = api.agent(bench, true, 's-1', 'Go on');
    const got = await agent.turn();
    expect(got).toMatchObject({ calls: Array(3).fill('read_file {"path":"a"}') as unknown, finish });
    expect(got.text).toContain('Tool call loop detected');
    // The next answer goes on with the loop: nothing of it is made.
    const next = await agent.turn();
    expect(next.calls).toEqual([]);
  });

  it('a blocked later call: after a chance, the second reply follows the calls already sent', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(request, i === 0 ? { calls: same } : { text: 'Sorry.', calls: [call('grep', 'b')] }),
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    const agent = new Agent(bench, true);
    const got = await agent.turn();
    expect(got).toEqual({
      text: 'Sorry.',
      calls: [...(Array(3).fill('read_file {"path":"a"}') as string[]), 'grep {"path":"b"}'],
      finish: 'tool_calls',
    });
    const results = sent(bench.upstream.requests[1]).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => String(content).slice(0, 30))).toEqual([
      ...(Array(3).fill('{"error":"This call is being m') as string[]),
      expect.stringContaining('{"error":"') as unknown,
    ]);
    expect(results[3]?.['content']).toContain('read_file');
    // Each result of the calls that were made is counted, each once.
    await agent.turn();
    await bench.stop();
    expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(6);
  });
});

it('streams: interleaved parts of calls do not bypass detection', async () => {
  const part = (index: number, text: string, name?: string): string =>
    `data: ${JSON.stringify({
      id: 'c-1',
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            tool_calls: [
              {
                index,
                ...(name !== undefined && { id: `t-${String(index)}`, type: 'function' }),
                function: { name, arguments: text },
              },
            ],
          },
          finish_reason: null,
        },
      ],
    })}\n\n`;
  const end =
    'data: {"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
  await using bench = await GatewayBench.start((request, i) =>
    i < 3
      ? modelReply(request, { calls: [read] })
      : {
          headers: { 'content-type': 'text/event-stream' },
          chunks: [part(0, '{"path"', 'read_file'), part(1, '{}', 'grep'), part(0, ':"a"}'), end],
        },
  );
  const agent = new Agent(bench, true);
  await agent.turns(3);
  const { finish } = await agent.turn();
  expect(finish).toBe('error');
});

describe.each(apis)('a second reply after a chance ($name)', ({ name, path, body }) => {
  const mode = { 'tool_call_loop.mode': 'chance_then_break', 'tool_call_loop.max_repeats': 2 };
  const second: ModelOutput = { text: 'Let me think of something else now.', calls: [call('grep', 'b')] };

  it('second reply: its text is streamed at once', async () => {
    const gate = new Gate();
    await using bench = await GatewayBench.start(
      (request, i) =>
        i < 2
          ? modelReply(request, { text: 'Reading.', calls: [read] })
          : gate.before(modelReply(request, second), (piece) => piece.includes('something')),
      mode,
    );
    await readStream(bench, path, body, () => undefined);
    let early = '';
    const all = await readStream(bench, path, body, (_, soFar) => {
      if (!soFar.includes('think')) return;
      early ||= soFar;
      gate.open();
    });
    expect(early).not.toContain('else');
    expect(bench.upstream.requests[2]?.json['stream']).toBe(true);
    expect(all).toContain('else');
  });

  it('second reply: the official client reads one reply', async () => {
    await using bench = await GatewayBench.start(
      (request, i) => modelReply(request, i < 2 ? { text: 'Reading.', calls: [read] } : second),
      mode,
    );
    const agent = apiCases.find((each) => each.name.startsWith(name))!.agent(bench, true, 's-1', 'Go on');
    await agent.turn();
    const got = await agent.turn();
    expect(got.calls).toEqual(['grep {"path":"b"}']);
    expect(got.text?.replace(/\s+/g, ' ')).toMatch(/^Reading\. ?Let me think of something else now\.$/);
  });

  it('second reply: the same call is blocked, a failure is reported', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        i < 3 ? modelReply(request, { text: 'Reading.', calls: [read] }) : { status: 500, json: {} },
      mode,
    );
    const { agent: create, error } = apiCases.find((each) => each.name.startsWith(name))!;
    const agent = create(bench, true, 's-1', 'Go on');
    await agent.turn();
    const broken = await agent.turn();
    expect(broken).toMatchObject({ calls: [], finish: error });
    expect(broken.text).toContain('Tool call loop detected');
    await using failing = await GatewayBench.start(
      (request, i) => (i < 2 ? modelReply(request, { calls: [read] }) : { status: 500, json: {} }),
      mode,
    );
    await readStream(failing, path, body, () => undefined);
    const told = await readStream(failing, path, body, () => undefined);
    expect(told).toContain('answered the retry with status 500');
    expect(told).toContain('error');
  });

  it('second reply: a JSON reply is continued as a stream', async () => {
    await using bench = await GatewayBench.start((request, i) => {
      if (i < 2) return modelReply(request, { text: 'Reading.', calls: [read] });
      return modelReply({ ...request, json: { ...request.json, stream: false } }, second);
    }, mode);
    const agent = apiCases.find((each) => each.name.startsWith(name))!.agent(bench, true, 's-1', 'Go on');
    await agent.turn();
    expect((await agent.turn()).calls).toEqual(['grep {"path":"b"}']);
  });

  it('second reply: a JSON reply that is too large is reported with the limit', async () => {
    await using bench = await GatewayBench.start(
      (request, i) => {
        if (i < 2) return modelReply(request, { calls: [read] });
        const whole = { ...request, json: { ...request.json, stream: false } };
        return modelReply(whole, { text: 'x'.repeat(10_000) });
      },
      { ...mode, 'gateway.max_held_bytes': 4_096 },
    );
    await readStream(bench, path, body, () => undefined);
    const told = await readStream(bench, path, body, () => undefined);
    expect(told).toContain('gateway.max_held_bytes');
    expect(await bench.registry.metrics()).toContain('upstream_failures_total{failure="cut"} 1');
  });
});

describe('Responses stream helper', () => {
  it('Responses stream helper: a blocked reply ends like one of the model', async () => {
    await using bench = await GatewayBench.start((request) =>
      modelReply(request, { text: 'Reading.', calls: [read] }),
    );
    const finals: { text: string; calls: number; last: string | undefined }[] = [];
    for (let i = 0; i < 4; i += 1) {
      const stream = bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' });
      let last: string | undefined;
      for await (const event of stream) last = event.type;
      const final = await stream.finalResponse();
      const calls = final.output.filter(({ type }) => type === 'function_call').length;
      const text = final.output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join('');
      finals.push({ text, calls, last });
    }
    expect(finals.slice(0, 3)).toEqual(
      Array(3).fill({ text: 'Reading.', calls: 1, last: 'response.completed' }),
    );
    expect(finals[3]).toMatchObject({ calls: 0, last: 'response.completed' });
    expect(finals[3]?.text).toContain('Tool call loop detected');
  });

  it('Responses stream helper: sees one reply after a chance', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(
          request,
          i < 4 ? { text: 'Reading.', calls: [read] } : { text: 'Well.', calls: [call('grep', 'b')] },
        ),
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    for (let i = 0; i < 3; i += 1)
      await bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' }).finalResponse();
    const stream = bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' });
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(['message', 'message', 'function_call']);
    expect(final.status).toBe('completed');
  });
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

it('streams: a reply with several calls is complete in the retry', async () => {
  await using bench = await GatewayBench.start((request, i) =>
    modelReply(
      request,
      i === 0 ? { calls: [read, call('grep', 'b'), call('grep', 'c')] } : { text: 'Done.' },
    ),
  );
  const agent = new Agent(bench, true);
  expect((await agent.turn()).calls).toHaveLength(3);
  expect((await agent.turn()).finish).toBe('stop');
  await ask(bench, true, 's-1', agent.messages);
  await bench.stop();
  expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(3);
  expect(bench.events.filter(({ type }) => type === 'tool_result')).toHaveLength(3);
});
