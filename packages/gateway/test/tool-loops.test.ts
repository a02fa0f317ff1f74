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

  /** What the client sends after each stop, once it has got the gateway's answer. */
  const insists: [string, (agent: Agent, stop: number) => void, number][] = [
    ['repeats the request', ({ messages }) => messages.pop(), 6],
    ['drops the answer and adds the same words', (agent) => drop(agent, 'Continue until done.'), 16],
    [
      'adds the same words',
      ({ messages }) => messages.push({ role: 'user', content: 'Continue until done.' }),
      16,
    ],
    [
      'adds other words each time',
      ({ messages }, stop) => messages.push({ role: 'user', content: 'ABCDEFGHIJ'[stop] ?? '' }),
      32,
    ],
  ];
  function drop({ messages }: Agent, words: string): void {
    messages.pop();
    messages.push({ role: 'user', content: words });
  }

  it.each(insists)('a client that %s after stops: how often the model is asked', async (_, insist, asked) => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, stream);
    for (let stops = 0; stops < 8; ) {
      const { finish } = await agent.turn();
      if (finish !== 'error') continue;
      insist(agent, stops);
      stops += 1;
    }
    expect(bench.upstream.requests).toHaveLength(asked);
  });

  it.each<[string, (bench: GatewayBench, agent: Agent) => unknown]>([
    ['later', (bench) => (bench.clock.now += 121_000)],
    ['with another history', ({}, { messages }) => messages.splice(1, 2)],
    ['with a command', ({}, agent) => drop(agent, '!/set(tool-loop-max-repeats=20)\nGo on')],
  ])('what was stopped three times is asked again %s', async (_, change) => {
    await using bench = await GatewayBench.start(calls('read_file'));
    const agent = new Agent(bench, stream);
    await agent.turns(3);
    for (let stops = 0; stops < 5; stops += 1) {
      expect((await agent.turn()).finish).toBe('error');
      agent.messages.pop();
    }
    expect(bench.upstream.requests).toHaveLength(6);
    change(bench, agent);
    expect((await agent.turn()).finish).toBe('tool_calls');
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
});

describe.each([false, true])('a custom text for blocked calls (streamed: %s)', (stream) => {
  it.each([
    { texts: { block: 'Enough of this.' }, told: 'Enough of this.' },
    { texts: { block: 'Enough of this.', warning: 'Think again.' }, told: 'Think again.' },
  ])('is what the model is told at its chance, unless that has its own: $told', async ({ texts, told }) => {
    await using bench = await GatewayBench.start(says(read, read, read, read, { text: 'Well.' }), {
      'tool_call_loop.mode': 'chance_then_break',
      'tool_call_loop.error_messages': texts,
    });
    const agent = new Agent(bench, stream);
    await agent.turns(4);
    expect(sent(bench.upstream.requests[4]).at(-1)?.['content']).toBe(`{"error":"${told}"}`);
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
