import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Agent, ask, calls, says, sent } from './agent.ts';
import { GatewayBench, type Script, secretKey } from './harness.ts';

const read = { calls: [{ name: 'read_file', args: { path: 'a' } }] };
const write = { calls: [{ name: 'grep', args: { pattern: 'b' } }] };

const called = (name: string, args: object) => `${name} ${JSON.stringify(args)}`;
const blockText =
  "Tool call loop detected: 'read_file' invoked with identical params 4 times within 120s. " +
  'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.';

describe.each([false, true])('Chat Completions (streamed: %s)', (stream) => {
  it('break: the fourth identical call is not forwarded, the user gets an error', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, stream);
    const got = await agent.turns(4);
    const call = called('read_file', { path: 'src/cart.ts' });
    expect(got.slice(0, 3)).toEqual(Array(3).fill({ text: null, calls: [call], finish: 'tool_calls' }));
    expect(got[3]).toEqual({ text: blockText, calls: [], finish: 'error' });
  });

  it('break: the same request sent four times counts, and stays blocked', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const finishes: string[] = [];
    for (let i = 0; i < 6; i += 1)
      finishes.push((await ask(bench, stream, 's-1', [{ role: 'user', content: 'Fix it' }])).finish);
    expect(finishes).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error', 'error', 'error']);
  });

  it('arguments are compared by value, not by spelling', async () => {
    const spellings = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1.0, "b": 2 }', '{"b" : 2, "a":1}'];
    await using bench = await GatewayBench.start((request, i) =>
      modelReply(request, { calls: [{ name: 'read_file', args: spellings[i] }] }),
    );
    const got = await new Agent(bench, stream).turns(4);
    expect(got.map(({ finish }) => finish)).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
  });

  it('another call or a new user request restarts the count', async () => {
    await using bench = await GatewayBench.start(says(read, read, read, write, read, read, read, read));
    const agent = new Agent(bench, stream);
    const got = await agent.turns(7);
    expect(got.every(({ finish }) => finish === 'tool_calls')).toBe(true);
    agent.messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Once more' });
    expect((await agent.turn()).finish).toBe('tool_calls');
  });

  it('calls outside the window do not count', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, stream);
    await agent.turns(3);
    bench.clock.now += 121_000;
    expect((await agent.turns(3)).map(({ finish }) => finish)).toEqual(Array(3).fill('tool_calls'));
    expect((await agent.turn()).finish).toBe('error');
  });

  it('warn: everything passes unchanged and is logged', async () => {
    await using bench = await GatewayBench.start(calls('read_file'), { 'tool_call_loop.mode': 'warn' });
    const got = await new Agent(bench, stream).turns(5);
    expect(got.every(({ finish }) => finish === 'tool_calls')).toBe(true);
    expect(bench.texts('warn')[0]).toContain('action=warn');
  });

  it('chance_then_break: the model gets guidance as a tool result, and another call passes', async () => {
    await using bench = await GatewayBench.start(says(read, read, read, read, write), {
      'tool_call_loop.mode': 'chance_then_break',
    });
    const agent = new Agent(bench, stream);
    await agent.turns(3);
    expect(await agent.turn()).toEqual({
      text: null,
      calls: [called('grep', { pattern: 'b' })],
      finish: 'tool_calls',
    });
    expect(bench.upstream.requests).toHaveLength(5);
    const again = sent(bench.upstream.requests[4]);
    // The calls of an answer and their results stand together.
    const [assistant, result] = again.slice(-2);
    expect(assistant).toMatchObject({ role: 'assistant', tool_calls: [{ function: { name: 'read_file' } }] });
    expect(result).toMatchObject({ role: 'tool' });
    expect(result?.['tool_call_id']).toBe((assistant?.['tool_calls'] as { id: string }[])[0]?.id);
    expect(result?.['content']).toContain('You have called read_file 4 times within 120 seconds');
    // The client never hears of it.
    await agent.turn();
    expect(JSON.stringify(bench.upstream.requests.at(-1)?.json)).not.toContain('You have called read_file');
    await bench.stop();
    expect(await bench.registry.metrics()).toContain('loopwatch_mitigations_total{outcome="recovered"} 1');
  });

  it('chance_then_break: the same call again is blocked', async () => {
    await using bench = await GatewayBench.start(calls('read_file', { path: 'a' }), {
      'tool_call_loop.mode': 'chance_then_break',
    });
    const got = await new Agent(bench, stream).turns(4);
    expect(got[3]).toMatchObject({ calls: [], finish: 'error' });
    expect(got[3]?.text).toContain(
      "Tool call loop detected: 'read_file' invoked with identical params 5 times",
    );
    expect(bench.upstream.requests).toHaveLength(5);
  });

  it('chance_then_break: a text reply passes', async () => {
    await using bench = await GatewayBench.start(
      says(read, read, read, read, { text: 'I am stuck with this file.' }),
      {
        'tool_call_loop.mode': 'chance',
      },
    );
    const agent = new Agent(bench, stream);
    await agent.turns(3);
    expect(await agent.turn()).toEqual({ text: 'I am stuck with this file.', calls: [], finish: 'stop' });
  });

  it('chance: a reply with several calls gets a result for each', async () => {
    await using bench = await GatewayBench.start(
      says(
        read,
        read,
        read,
        { text: 'Both', calls: [...write.calls, ...read.calls, ...read.calls, ...read.calls, ...read.calls] },
        { text: 'Well.' },
      ),
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    const agent = new Agent(bench, stream);
    await agent.turns(3);
    expect((await agent.turn()).text).toContain('Well.');
    const again = sent(bench.upstream.requests[4]).slice(-6);
    expect(again.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'tool', 'tool', 'tool']);
    const ids = (again[0]?.['tool_calls'] as { id: string }[]).map(({ id }) => id);
    expect(again.slice(1).map((message) => message['tool_call_id'])).toEqual(ids);
  });

  it('preset similar: a message replaces the call, guidance is in the assistant role', async () => {
    const queries = ['population of France 2023', 'population of France 2024', 'population of France 2025'];
    const script: Script = (request, i) =>
      modelReply(request, { calls: [{ name: 'search', args: { query: queries[i % 3] } }] });
    {
      await using bench = await GatewayBench.start(script, { preset: 'similar' });
      const got = await new Agent(bench, stream).turns(3);
      expect(got[2]).toMatchObject({ calls: [], finish: 'stop' });
      expect(got[2]?.text).toContain("'search' invoked with similar params 3 times within 300s");
    }
    await using bench = await GatewayBench.start(script, { preset: 'general' });
    const got = await new Agent(bench, stream).turns(3);
    expect(got[2]).toMatchObject({ finish: 'stop' });
    expect(sent(bench.upstream.requests[3]).at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining('nearly the same arguments'),
    });
    expect(sent(bench.upstream.requests[3]).at(-2)).toMatchObject({ role: 'tool' });
  });

  it('similarity without a preset: a message replaces the call', async () => {
    await using bench = await GatewayBench.start(calls('read_file'), {
      'tool_call_loop.similarity_threshold': 0.9,
    });
    expect((await new Agent(bench, stream).turns(4))[3]).toMatchObject({ calls: [], finish: 'stop' });
  });

  it('custom messages and thresholds per tool', async () => {
    await using bench = await GatewayBench.start(says(read, read, write, write, write), {
      'tool_call_loop.error_messages.block': 'Enough of this.',
      'tool_call_loop.error_messages.warning': 'Think again.',
      'tool_call_loop.per_tool.read_file.max_repeats': 2,
      'tool_call_loop.per_tool.grep.max_repeats': 3,
      'tool_call_loop.per_tool.grep.mode': 'chance_then_block',
    });
    const agent = new Agent(bench, stream);
    expect((await agent.turns(2))[1]).toMatchObject({ text: 'Enough of this.', finish: 'error' });
    await agent.turns(3);
    expect(sent(bench.upstream.requests[5]).at(-1)?.['content']).toContain('Think again.');
  });

  it('disabled: nothing is judged', async () => {
    await using bench = await GatewayBench.start(
      calls('read_file'),
      {},
      { TOOL_LOOP_DETECTION_ENABLED: 'false' },
    );
    const got = await new Agent(bench, stream).turns(6);
    expect(got.every(({ finish }) => finish === 'tool_calls')).toBe(true);
    await bench.stop();
    expect(bench.sink.records).toEqual([]);
    expect(await bench.registry.metrics()).toContain('loopwatch_active_sessions 0');
  });

  it('TOOL_LOOP_* are server settings, overridden by model settings, overridden by session settings', async () => {
    const environment = { TOOL_LOOP_MAX_REPEATS: '6', TOOL_LOOP_TTL_SECONDS: '60', TOOL_LOOP_MODE: 'break' };
    const own = { 'overrides.models': { 'openai/gpt-5-nano': { tool_loop_detection_max_repeats: 3 } } };
    await using bench = await GatewayBench.start(calls('read_file'), own, environment);
    const until = async (session: string, more: object): Promise<number> => {
      const agent = new Agent(bench, stream, session);
      for (let turn = 1; ; turn += 1) if ((await agent.turn(more)).finish === 'error') return turn;
    };
    expect(await until('server', {})).toBe(6);
    expect(await until('model', { model: 'gpt-5-nano' })).toBe(3);
    await ask(bench, stream, 'session', [{ role: 'user', content: '!/set(tool-loop-max-repeats=2)' }]);
    expect(await until('session', { model: 'gpt-5-nano' })).toBe(2);
  });
});

describe('a synthetic reply', () => {
  it('synthetic reply: an error has the shape of a response', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Fix it' }];
    for (let i = 0; i < 3; i += 1) await ask(bench, false, 's-1', messages);
    const answer = await bench.openai('s-1').chat.completions.create({ model: 'gpt-5-mini', messages });
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-loopwatch-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'gpt-5-mini',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: blockText, refusal: null },
          logprobs: null,
          finish_reason: 'error',
        },
      ],
      // What the model used is said all the same.
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      loopwatch: {
        detector: 'tool-repeat',
        count: 4,
        threshold: 4,
        verdict_id: expect.stringMatching(/^v-/),
        incident_id: expect.stringMatching(/^i-/),
      },
    });
  });

  it.each([false, true])(
    'several choices: each is judged, and a call repeated in a later one counts once (streamed: %s)',
    async (stream) => {
      const call = (path: string) => ({
        id: `call_${path}`,
        type: 'function',
        function: { name: 'read_file', arguments: JSON.stringify({ path }) },
      });
      const head = { id: 'c', created: 1, model: 'm' };
      const script: Script = () => {
        const made = [call('a'), call('a')];
        if (!stream) {
          const choices = made.map((one, index) => ({
            index,
            message: { role: 'assistant', content: null, tool_calls: [one] },
            finish_reason: 'tool_calls',
          }));
          return { json: { ...head, object: 'chat.completion', choices } };
        }
        const chunk = (index: number, delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
        return {
          chunks: [
            ...made.map((one, index) =>
              chunk(index, { role: 'assistant', tool_calls: [{ index: 0, ...one }] }, null),
            ),
            ...made.map((_, index) => chunk(index, {}, 'tool_calls')),
            'data: [DONE]\n\n',
          ],
        };
      };
      await using bench = await GatewayBench.start(script);
      const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Fix it' }];
      const finishes: string[] = [];
      for (let i = 0; i < 4; i += 1)
        finishes.push((await ask(bench, stream, 's-1', messages, { n: 2 })).finish);
      expect(finishes).toEqual(['tool_calls', 'tool_calls', 'tool_calls', 'error']);
    },
  );
});

describe('commands in the chat', () => {
  it.each([false, true])(
    'chat commands: are executed, answered and hidden from the model (streamed: %s)',
    async (stream) => {
      await using bench = await GatewayBench.start(calls('read_file'));
      const agent = new Agent(bench, stream, 's-1', '!/set(tool-loop-max-repeats=2)');
      expect(await agent.turn()).toEqual({
        text: '[Loopwatch] tool_call_loop.max_repeats is 2 in this session',
        calls: [],
        finish: 'stop',
      });
      expect(bench.upstream.requests).toEqual([]);
      agent.messages.push({ role: 'user', content: 'Read the file' });
      expect((await agent.turns(2)).map(({ finish }) => finish)).toEqual(['tool_calls', 'error']);
      expect(sent(bench.upstream.requests[0])).toEqual([{ role: 'user', content: 'Read the file' }]);
    },
  );

  it('chat commands: other text in the message goes to the model', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, false, 's-1', '!/set(tool_loop_mode="warn") Read it, please');
    expect((await agent.turns(5)).every(({ finish }) => finish === 'tool_calls')).toBe(true);
    expect(sent(bench.upstream.requests[0])[0]?.['content']).not.toContain('!/');
  });

  it.each([
    ['!/set(tool-loop-max-repeats=1)', 'tool-loop-max-repeats is "1"; allowed:'],
    ['!/set(tool-loop-max-repeat=4)', 'did you mean tool_loop_max_repeats?'],
    ['!/unset(tool-loop-mode, tool-loop-ttl)', 'tool_call_loop.mode is no longer set'],
    ['!/help', '!/set(tool-loop-ttl=120)'],
    ['!/set()', 'Not changed: !/set takes settings in parentheses'],
    ['!/set tool-loop-max-repeats=2', 'Not changed: !/set takes settings in parentheses'],
  ])('%s is answered', async (command, answer) => {
    await using bench = await GatewayBench.start(() => 'never');
    expect((await new Agent(bench, false, 's-1', command).turn()).text).toContain(answer);
  });

  it('chat commands: quoted ones are not executed and stay', async () => {
    const quoted =
      'What does this do?\n```\n!/set(tool-loop-detection=false)\n```\nAnd `!/set(tool-loop-ttl=1)`?';
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, false, 's-1', quoted);
    expect((await agent.turns(4))[3]?.finish).toBe('error');
    expect(sent(bench.upstream.requests[0])[0]?.['content']).toBe(quoted);
  });

  it('chat commands: are recognized at the start of each part of a message', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const texts = ['<reminder>Be brief.</reminder>', '!/set(tool-loop-max-repeats=2)', 'Read it'];
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    const agent = new Agent(bench, false, 's-1');
    agent.messages[0] = { role: 'user', content };
    expect((await agent.turns(2)).map(({ finish }) => finish)).toEqual(['tool_calls', 'error']);
    expect(sent(bench.upstream.requests[0])[0]?.['content']).toEqual([content[0], content[2]]);
  });

  it('chat commands: unknown ones stay', async () => {
    await using bench = await GatewayBench.start(says({ text: 'ok' }));
    await new Agent(bench, false, 's-1', 'Say !/set(model=gpt-5)').turn();
    expect(sent(bench.upstream.requests[0])[0]?.['content']).toBe('Say !/set(model=gpt-5)');
  });

  it('chat commands: switch detection off and on again', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, false, 's-1', '!/set(tool-loop-detection=false)');
    await agent.turn();
    agent.messages.push({ role: 'user', content: 'go' });
    expect((await agent.turns(5)).every(({ finish }) => finish === 'tool_calls')).toBe(true);
    agent.messages.push(
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Now\n!/unset(tool-loop-detection)' },
    );
    expect((await agent.turns(4))[3]?.finish).toBe('error');
  });
});

describe('sessions', () => {
  it.each<[string, string | null, object, object]>([
    ['the header', 'a', {}, {}],
    ['metadata', null, { metadata: { session_id: 'm-1' } }, { metadata: { session_id: 'm-2' } }],
  ])('sessions: are separated by %s', async (_, header, one, other) => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const first = new Agent(bench, false, header && `${header}-1`);
    const second = new Agent(bench, false, header && `${header}-2`);
    for (let i = 0; i < 3; i += 1) {
      expect((await first.turn(one)).finish).toBe('tool_calls');
      expect((await second.turn(other)).finish).toBe('tool_calls');
    }
    expect((await first.turn(one)).finish).toBe('error');
  });

  it('sessions: without a name, the name is derived from the first message', async () => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const one = new Agent(bench, false, null, 'One thing');
    const other = new Agent(bench, false, null, 'Another thing');
    for (let i = 0; i < 3; i += 1) {
      expect((await one.turn()).finish).toBe('tool_calls');
      expect((await other.turn()).finish).toBe('tool_calls');
    }
    expect((await one.turn()).finish).toBe('error');
    await bench.stop();
    const ids = new Set(bench.events.map(({ sessionId }) => sessionId));
    expect(ids.size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^derived-[0-9a-f]{24}$/);
  });

  it('sessions: a history that the gateway has not seen counts once', async () => {
    await using bench = await GatewayBench.start(calls('read_file', { path: 'a' }));
    const messages = [
      { role: 'user', content: 'go' },
      ...[1, 2, 3].flatMap((n) => turnOf(n)),
    ] as ChatCompletionMessageParam[];
    expect((await ask(bench, false, 's-1', messages)).finish).toBe('error');
  });

  it('sessions: beyond max_sessions the least recently used one is evicted and counted', async () => {
    await using bench = await GatewayBench.start(calls('read_file'), { 'gateway.max_sessions': 2 });
    for (const id of ['a', 'b', 'c']) await new Agent(bench, false, id).turn();
    const metrics = await bench.registry.metrics();
    expect(metrics).toContain('loopwatch_active_sessions 2');
    expect(metrics).toContain('loopwatch_evicted_sessions_total{reason="lru"} 1');
  });
});

function turnOf(n: number): object[] {
  const id = `seen-${String(n)}`;
  const call = { id, type: 'function', function: { name: 'read_file', arguments: '{"path": "a"}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: 'ok' },
  ];
}

describe('log lines', () => {
  it('log lines: describe a loop completely, without secrets', async () => {
    await using bench = await GatewayBench.start(
      calls('read_file', { path: 'src/checkout/rounding.ts', encoding: 'utf8', key: secretKey }),
    );
    await new Agent(bench, false, 's-9').turns(4);
    expect(bench.texts('warn')).toEqual([
      'warn Tool call loop detected in session s-9: tool=read_file, repeats=4/4, window=120s, model=gpt-5-mini, ' +
        'backend=openai, action=block, signature=read_file:{"encoding":"utf8","key":"‹masked›","pat...',
      "warn Tool call loop detection: Blocked tool 'read_file' - 4 similar calls in 0 seconds",
    ]);
    expect(bench.texts('debug')).toContain('debug Tool call loop evidence: read_file');
    expect(JSON.stringify(bench.lines)).not.toContain(secretKey);
  });
});
