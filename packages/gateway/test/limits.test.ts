import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Agent, ask, calls, sent } from './agent.ts';
import { GatewayBench, type Script } from './harness.ts';

const files = ['src/main.c', 'src/config.c', 'src/parser.c', 'src/more.c'];
const summary = 'I found errors in main.c and config.c, and reached the limit of tool calls.';
/** A model that searches one file after another for as long as it has the choice. */
const searching: Script = (request, i) =>
  request.json['tool_choice'] === 'none'
    ? modelReply(request, { text: summary })
    : modelReply(request, {
        calls: [{ name: 'grep', args: { pattern: 'error', path: files[i % files.length] } }],
      });
const limitMessage = 'Tool call limit reached (3). Stopping tool loop.';

describe.each([false, true])('tool call limit (streamed: %s)', (stream) => {
  const limit = { 'tool_call_limit.max_turns': 3 };

  it('tool call limit: stated in the last result, tool choice is off, the model sums up', async () => {
    await using bench = await GatewayBench.start(searching, limit);
    const agent = new Agent(bench, stream, 's-1', 'Keep searching for errors in every file');
    agent.result = '{"output": "src/parser.c:78: parse_error(line, col);", "count": 1}';
    const got = await agent.turns(4);
    expect(got.map(({ finish }) => finish)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'stop']);
    expect(got[3]?.text).toBe(summary);
    expect(bench.upstream.requests.map(({ json }) => json['tool_choice'])).toEqual([
      undefined,
      undefined,
      undefined,
      'none',
    ]);
    const results = sent(bench.upstream.requests[3]).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => JSON.parse(String(content)) as unknown)).toEqual([
      { output: 'src/parser.c:78: parse_error(line, col);', count: 1 },
      { output: 'src/parser.c:78: parse_error(line, col);', count: 1 },
      {
        output: 'src/parser.c:78: parse_error(line, col);',
        count: 1,
        limit_reached: true,
        limit_message: limitMessage,
      },
    ]);
  });

  it('tool call limit: a result that is not an object is wrapped', async () => {
    await using bench = await GatewayBench.start(searching, limit);
    const agent = new Agent(bench, stream);
    agent.result = 'plain text';
    await agent.turns(4);
    const last = sent(bench.upstream.requests[3]).at(-1);
    expect(JSON.parse(String(last?.['content']))).toEqual({
      output: 'plain text',
      limit_reached: true,
      limit_message: limitMessage,
    });
  });

  it('tool call limit: a call despite tool choice off is blocked; the next prompt restarts the count', async () => {
    await using bench = await GatewayBench.start(
      (request, i) => modelReply(request, { calls: [{ name: 'grep', args: { path: files[i % 4] } }] }),
      limit,
    );
    const agent = new Agent(bench, stream);
    const got = await agent.turns(4);
    expect(got[3]).toEqual({ text: limitMessage, calls: [], finish: 'error' });
    agent.messages.push({ role: 'user', content: 'Go on' });
    expect((await agent.turn()).finish).toBe('tool_calls');
    expect(bench.upstream.requests.at(-1)?.json['tool_choice']).toBeUndefined();
  });
});

describe.each([false, true])('model request limit (streamed: %s)', (stream) => {
  it('model request limit: the request after the last allowed one is blocked, with reason and last calls', async () => {
    await using bench = await GatewayBench.start(searching, { 'turn_requests.max_turn_requests': 3 });
    const agent = new Agent(bench, stream, 's-3');
    const got = await agent.turns(5);
    expect(got.map(({ finish }) => finish)).toEqual([
      ...Array<string>(3).fill('tool_calls'),
      ...Array<string>(2).fill('max_turn_requests'),
    ]);
    expect(bench.upstream.requests).toHaveLength(3);
    expect(
      bench.lines
        .flatMap(({ level, msg }) => (msg.includes('urn request') ? [`${level} ${msg}`] : []))
        .slice(0, 5),
    ).toEqual([
      'debug Turn request 1/3 for session s-3',
      'warn Approaching turn request limit for session s-3 (1/3)',
      'debug Turn request 2/3 for session s-3',
      'debug Turn request 3/3 for session s-3',
      'warn Session s-3 exceeded max turn requests (4/3)',
    ]);
    expect(await bench.registry.metrics()).toContain(
      'loopwatch_gateway_requests_total{api="chat",outcome="limited"} 2',
    );
    // Requests that are not forwarded do not count.
    expect(await bench.registry.metrics()).toMatch(/gateway_added_latency_seconds_count\{api="chat"\} 3\n/);
  });

  it('model request limit: a failed and repeated request counts once', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        i % 2 === 0 ? { status: 500, json: { error: { message: 'no' } } } : searching(request, i),
      { 'turn_requests.max_turn_requests': 2 },
    );
    const agent = new Agent(bench, stream);
    for (let i = 0; i < 2; i += 1) {
      await expect(agent.turn()).rejects.toThrow('500');
      expect((await agent.turn()).finish).toBe('tool_calls');
    }
    expect((await agent.turn()).finish).toBe('max_turn_requests');
  });
});

it('model request limit: the next message starts over, although the client has dropped the reply', async () => {
  await using bench = await GatewayBench.start(searching, { 'turn_requests.max_turn_requests': 3 });
  const agent = new Agent(bench, false);
  const finishes = async () => (await agent.turns(4)).map(({ finish }) => finish);
  const run = [...Array<string>(3).fill('tool_calls'), 'max_turn_requests'];
  expect(await finishes()).toEqual(run);
  agent.messages.pop();
  bench.clock.now += 11_000;
  agent.messages.push({ role: 'user', content: 'Go on.' });
  expect(await finishes()).toEqual(run);
});

it('model request limit: the synthetic reply has structured details', async () => {
  await using bench = await GatewayBench.start(calls('grep', { path: 'a' }), {
    'turn_requests.max_turn_requests': 1,
  });
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }];
  await ask(bench, false, 's-1', messages);
  const answer = await bench.openai('s-1').chat.completions.create({ model: 'm', messages });
  expect(answer).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        finish_reason: 'max_turn_requests',
        message: {
          content:
            'The limit of 1 model requests for one prompt is reached. ' +
            'Send another message to continue, or raise turn_requests.max_turn_requests.',
        },
      },
    ],
    loopwatch: {
      stop_reason: 'max_turn_requests',
      turn_requests: 1,
      max_allowed: 1,
      last_tool_calls: ['grep'],
    },
  });
});

it('a looping text is cut off, the upstream aborted, and the client told', async () => {
  const loop = 'I will check the configuration file again to see what is wrong. '.repeat(400);
  for (const stream of [true, false]) {
    // A model that degenerates goes on for ever.
    const script: Script = (request) => {
      const reply = modelReply(request, { text: loop });
      return typeof reply === 'object' && 'chunks' in reply
        ? { ...reply, chunks: reply.chunks.slice(0, -2), then: 'hang' }
        : reply;
    };
    await using bench = await GatewayBench.start(script, { preset: 'stream' });
    const got = await new Agent(bench, stream).turn();
    expect(got.finish).toBe('stop');
    expect(got.text).toContain('Loop detected: ');
    expect(got.text?.length).toBeLessThan(4_000);
    expect(got.text?.startsWith('I will check the configuration')).toBe(true);
    if (stream) expect(await bench.upstream.requests[0]?.closed).toBe('client gone');
  }
});

it('a looping text is cut at the same event, however many events arrive at once', async () => {
  const loop = 'I will check the configuration file again to see what is wrong. '.repeat(400);
  const texts: (string | null)[] = [];
  for (const atOnce of [1, 7, Number.POSITIVE_INFINITY]) {
    const script: Script = (request) => {
      const reply = modelReply(request, { text: loop });
      if (typeof reply === 'string' || !('chunks' in reply)) return reply;
      const pieces = reply.chunks.map((chunk) => (typeof chunk === 'string' ? chunk : ''));
      const size = Math.min(atOnce, pieces.length);
      const chunks: string[] = [];
      for (let at = 0; at < pieces.length; at += size) chunks.push(pieces.slice(at, at + size).join(''));
      return { ...reply, chunks };
    };
    await using bench = await GatewayBench.start(script, { preset: 'stream' });
    texts.push((await new Agent(bench, true).turn()).text);
  }
  expect(texts[0]).toContain('Loop detected: ');
  expect(texts).toEqual([texts[0], texts[0], texts[0]]);
});

it('enforce_streams false: streams are only watched', async () => {
  await using bench = await GatewayBench.start(calls('read_file'), { 'gateway.enforce_streams': false });
  expect((await new Agent(bench, true, 'a').turns(5)).every(({ finish }) => finish === 'tool_calls')).toBe(
    true,
  );
  expect(bench.texts('warn')[0]).toContain('Tool call loop detected in session a');
  expect((await new Agent(bench, false, 'b').turns(4))[3]?.finish).toBe('error');
});

describe.each([false, true])('a budget (streamed: %s)', (stream) => {
  /** Another file with each request: no loop. */
  const working: Script = (request, i) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: `src/${String(i)}.c` } }] });

  it('budget of tool calls: the last one runs, the next is denied, no further model request is made', async () => {
    await using bench = await GatewayBench.start(working, { 'budget.calls': 3 });
    const agent = new Agent(bench, stream, 's-budget');
    const got = await agent.turns(4);
    const usedUp =
      'This session has used its budget: 3 of 3 tool calls. Nothing more runs until budget.calls is raised.';
    expect(got.map(({ finish }) => finish)).toEqual([...Array<string>(3).fill('tool_calls'), 'error']);
    expect(got[3]?.text).toBe(usedUp);
    agent.messages.push({ role: 'user', content: 'Go on' });
    expect((await agent.turn()).text).toBe(usedUp);
    expect(bench.upstream.requests).toHaveLength(3);
    expect(await bench.registry.metrics()).toContain(
      'loopwatch_gateway_requests_total{api="chat",outcome="limited"} 2',
    );
  });
});
