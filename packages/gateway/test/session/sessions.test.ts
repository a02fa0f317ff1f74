import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Agent, ask, calls } from '../agent.ts';
import { apiCases } from '../api-agents.ts';
import { GatewayBench, type Script, type Session } from '../harness.ts';

const read = calls('read_file', { path: 'a' });
/** A model whose calls have the same id in every conversation. */
const sameIds: Script = (request) =>
  modelReply(request, { calls: [{ id: 'call_0', name: 'read_file', args: { path: 'a' } }] });
const kinds = (finishes: readonly { readonly finish: string }[]) =>
  finishes.map(({ finish }) => (finish === 'error' || finish === 'loop_detected' ? 'stopped' : 'call'));
const sessionsOf = (bench: GatewayBench) => new Set(bench.events.map(({ sessionId }) => String(sessionId)));

/** What several conversations may share. */
const shared: readonly [string, Session, object][] = [
  ['nothing but a key', null, {}],
  ['the value of user', null, { user: 'one-app' }],
  ['a constant prompt_cache_key', null, { prompt_cache_key: 'my-app' }],
  ['a constant metadata.session_id', null, { metadata: { session_id: 'app' } }],
  ['the header of Claude Code', { 'x-claude-code-session-id': 'c-1' }, {}],
  ['the header of Codex', { 'session-id': 'x-1' }, {}],
  ['the header of LiteLLM', { 'x-litellm-session-id': 'l-1' }, {}],
  ['x-session-affinity', { 'x-session-affinity': 'a-1' }, {}],
];

describe.each(shared)('conversations that share %s', (_, session, more) => {
  const conversations = (bench: GatewayBench, count: number) =>
    Array.from({ length: count }, () => new Agent(bench, false, session, 'Weather in Paris?'));

  it('shared name: eight parallel samples of one prompt pass', async () => {
    await using bench = await GatewayBench.start(read);
    const got = await Promise.all(conversations(bench, 8).map((agent) => agent.turn(more)));
    expect(kinds(got)).toEqual(Array(8).fill('call'));
    await bench.stop();
    expect(bench.verdicts).toEqual([]);
    expect(sessionsOf(bench).size).toBe(8);
  });

  it('shared name: the same request sent eight times passes', async () => {
    await using bench = await GatewayBench.start(read);
    for (const agent of conversations(bench, 8)) expect((await agent.turn(more)).finish).toBe('tool_calls');
  });

  it('shared name: the same request sent on and on, as by a client without a history, is a loop', async () => {
    await using bench = await GatewayBench.start(read);
    const got = [];
    for (const agent of conversations(bench, 12)) got.push(await agent.turn(more));
    expect(kinds(got)).toEqual([...Array(10).fill('call'), 'stopped', 'stopped']);
    await bench.stop();
    expect(bench.verdicts.filter(({ phase }) => phase === 'opened')).toHaveLength(1);
  });

  it('shared name: the same request sent once a minute, as by a monitor, passes', async () => {
    await using bench = await GatewayBench.start(read);
    for (const agent of conversations(bench, 20)) {
      bench.clock.now += 60_000;
      await agent.turn(more);
    }
    await bench.stop();
    expect(bench.verdicts).toEqual([]);
  });

  it.each<[string, Script]>([
    ['are different', (_, i) => calls('read_file', { path: String(i) })(_, i)],
    ['are none', (request) => modelReply(request, { text: 'It is sunny.' })],
  ])('shared name: the same request sent on and on passes if the calls %s', async (__, script) => {
    await using bench = await GatewayBench.start(script);
    for (const agent of conversations(bench, 20)) await agent.turn(more);
    await bench.stop();
    expect(bench.verdicts).toEqual([]);
    expect(sessionsOf(bench).size).toBe(20);
  });

  it.each<[string, Script]>([
    ['their own', read],
    ['the same for all', sameIds],
  ])(
    'six interleaved ones pass, each until it loops itself, with ids of the calls: %s',
    async (__, script) => {
      await using bench = await GatewayBench.start(script);
      const agents = conversations(bench, 6);
      for (let turn = 1; turn <= 3; turn += 1) {
        const got = await Promise.all(agents.map((agent) => agent.turn(more)));
        expect(kinds(got)).toEqual(Array(6).fill('call'));
      }
      for (const agent of agents) expect(kinds([await agent.turn(more)])).toEqual(['stopped']);
      await bench.stop();
      expect(bench.verdicts.filter(({ phase }) => phase === 'opened')).toHaveLength(6);
    },
  );

  it('shared name: a second run of a blocked agent starts from zero', async () => {
    await using bench = await GatewayBench.start(read);
    for (const agent of conversations(bench, 2)) {
      const got = [];
      for (let turn = 0; turn < 4; turn += 1) got.push(await agent.turn(more));
      expect(kinds(got)).toEqual(['call', 'call', 'call', 'stopped']);
    }
  });

  it('shared name: conversations with different requests are separated', async () => {
    await using bench = await GatewayBench.start(read);
    const agents = ['One', 'Other'].map((prompt) => new Agent(bench, false, session, prompt));
    for (let turn = 0; turn < 3; turn += 1)
      for (const agent of agents) expect((await agent.turn(more)).finish).toBe('tool_calls');
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(2);
  });
});

const streams = apiCases.flatMap((api) => [false, true].map((stream) => ({ ...api, api: api.name, stream })));

describe.each(streams)('an unnamed session, $api (streamed: $stream)', ({ agent, stream }) => {
  it('an unnamed session: a loop is blocked at the fourth call, in one session and incident', async () => {
    await using bench = await GatewayBench.start(read);
    const got = await agent(bench, stream, null, 'Fix it').turns(6);
    expect(got.map(({ calls: made }) => made.length)).toEqual([1, 1, 1, 0, 0, 0]);
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(1);
    expect(bench.verdicts.filter(({ phase }) => phase === 'opened')).toHaveLength(1);
  });

  it('an unnamed session: parallel samples pass', async () => {
    await using bench = await GatewayBench.start(read);
    const runs = Array.from({ length: 5 }, () => agent(bench, stream, null, 'Fix it'));
    const got = await Promise.all(runs.map((run) => run.turns(2)));
    expect(got.flat().every(({ calls: made }) => made.length === 1)).toBe(true);
  });
});

describe('an unnamed session', () => {
  it.each([false, true])(
    'an unnamed session: stays one session after a chance (streamed: %s)',
    async (stream) => {
      const grep = { calls: [{ name: 'grep', args: { pattern: 'b' } }] };
      await using bench = await GatewayBench.start(
        (request, i) => (i === 4 ? modelReply(request, grep) : read(request, i)),
        { 'tool_call_loop.mode': 'chance_then_break' },
      );
      const got = await new Agent(bench, stream, null).turns(7);
      expect(got.map(({ calls: [call] }) => call?.split(' ')[0])).toEqual([
        'read_file',
        'read_file',
        'read_file',
        'grep',
        'read_file',
        'read_file',
        'read_file',
      ]);
      await bench.stop();
      expect(sessionsOf(bench).size).toBe(1);
    },
  );

  it.each(['in parallel', 'one after another'])(
    'an unnamed session: replies sampled %s in the middle of work pass',
    async (how) => {
      await using bench = await GatewayBench.start(read);
      const agent = new Agent(bench, false, null);
      await agent.turns(2);
      const sample = () => ask(bench, false, null, agent.messages);
      const got = how === 'in parallel' ? await Promise.all(Array.from({ length: 6 }, sample)) : [];
      while (got.length < 6) got.push(await sample());
      expect(kinds(got)).toEqual(Array(6).fill('call'));
      expect(kinds(await agent.turns(2))).toEqual(['call', 'stopped']);
    },
  );

  it('an unnamed session: a repeated request after a block stays blocked, in one incident', async () => {
    await using bench = await GatewayBench.start(read);
    const agent = new Agent(bench, false, null);
    await agent.turns(3);
    for (let i = 0; i < 3; i += 1)
      expect((await ask(bench, false, null, agent.messages)).finish).toBe('error');
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(1);
    expect(bench.verdicts.filter(({ phase }) => phase === 'opened')).toHaveLength(1);
  });

  it('an unnamed session: continues after a failed request is repeated', async () => {
    await using bench = await GatewayBench.start((request, i) =>
      i % 2 === 0 ? { status: 500, json: { error: { message: 'no' } } } : read(request, i),
    );
    const agent = new Agent(bench, false, null);
    for (let i = 0; i < 3; i += 1) {
      await expect(agent.turn()).rejects.toThrow('500');
      expect((await agent.turn()).finish).toBe('tool_calls');
    }
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(1);
    expect(bench.verdicts).toEqual([]);
  });

  it('an unnamed session: continues with a changed system prompt or a truncated history', async () => {
    let n = 0;
    await using bench = await GatewayBench.start((request) => {
      n += 1;
      return modelReply(request, { calls: [{ name: 'read_file', args: { path: `src/${String(n)}.ts` } }] });
    });
    const agent = new Agent(bench, false, null);
    for (let i = 0; i < 8; i += 1) {
      const clock: ChatCompletionMessageParam = { role: 'system', content: `It is ${String(i)} o'clock.` };
      const [first, ...rest] = agent.messages as [
        ChatCompletionMessageParam,
        ...ChatCompletionMessageParam[],
      ];
      const sent = [clock, first, ...rest.slice(-4)];
      const { message } = await ask(bench, false, null, sent);
      agent.messages.push(message);
      for (const call of message.tool_calls ?? [])
        agent.messages.push({ role: 'tool', tool_call_id: call.id, content: 'ok' });
    }
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(1);
    expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(8);
  });

  it('an unnamed session: continues with the next prompt beside another with the same start', async () => {
    const answers = ['Hello, Ann.', 'Hello, Bob.'];
    await using bench = await GatewayBench.start((request, i) =>
      modelReply(request, { text: answers[i % 2] ?? '' }),
    );
    const agents = [new Agent(bench, false, null, 'Hi'), new Agent(bench, false, null, 'Hi')];
    for (let i = 0; i < 3; i += 1)
      for (const agent of agents) {
        await agent.turn();
        agent.messages.push({ role: 'user', content: 'And now?' });
      }
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(2);
    expect(bench.events.filter(({ type }) => type === 'prompt_started')).toHaveLength(6);
  });

  it('an unnamed session: has its own settings from the chat', async () => {
    await using bench = await GatewayBench.start(read);
    const agent = new Agent(bench, false, null, '!/set(tool-loop-max-repeats=2)');
    await agent.turn();
    agent.messages.push({ role: 'user', content: 'Read it' });
    expect(kinds(await agent.turns(2))).toEqual(['call', 'stopped']);
    const other = new Agent(bench, false, null, 'Read it');
    expect(kinds(await other.turns(3))).toEqual(['call', 'call', 'call']);
  });
});

describe('the name of a session', () => {
  it.each<[string, string, Session, object]>([
    ['x-session-id over all others', 'own', { 'x-session-id': 'own', 'session-id': 'codex' }, {}],
    ['Claude Code', 'cc', { 'x-claude-code-session-id': 'cc' }, { prompt_cache_key: 'k' }],
    [
      'an agent of Claude Code',
      'cc~agent-7',
      { 'x-claude-code-session-id': 'cc', 'x-claude-code-agent-id': 'agent-7' },
      {},
    ],
    ['Codex', 'cx', { 'session-id': 'cx', 'thread-id': 'cx' }, { prompt_cache_key: 'k' }],
    ['older Codex', 'cx', { session_id: 'cx' }, {}],
    ['a thread of Codex', 'cx~t-2', { 'session-id': 'cx', 'thread-id': 't-2' }, {}],
    ['metadata', 'm-1', null, { metadata: { session_id: 'm-1' }, prompt_cache_key: 'k' }],
    ['the key of the cache', 'k', { 'x-litellm-session-id': 'l' }, { prompt_cache_key: 'k' }],
    ['LiteLLM', 'l', { 'x-litellm-session-id': 'l', 'x-litellm-trace-id': 't' }, {}],
    ['a trace of LiteLLM', 't', { 'x-litellm-trace-id': 't', 'x-session-affinity': 'a' }, {}],
    ['affinity', 'a', { 'x-session-affinity': 'a' }, { user: 'u' }],
  ])('is that of %s', async (_, expected, session, more) => {
    await using bench = await GatewayBench.start(read);
    await new Agent(bench, false, session).turn(more);
    await bench.stop();
    expect([...sessionsOf(bench)]).toEqual([expected]);
  });

  it.each([
    ['user_ab12_account__session_0f6c-77', '0f6c-77'],
    ['{"device_id":"d","account_uuid":"","session_id":"0f6c-78"}', '0f6c-78'],
  ])('session name: the session in Claude Code’s metadata.user_id: %s', async (user, expected) => {
    await using bench = await GatewayBench.start(read);
    await bench.anthropic().messages.create({
      model: 'm',
      max_tokens: 9,
      metadata: { user_id: user },
      messages: [{ role: 'user', content: 'Go' }],
    });
    await bench.stop();
    expect([...sessionsOf(bench)]).toEqual([expected]);
  });

  it('session name: user and a person’s metadata.user_id are ignored', async () => {
    await using bench = await GatewayBench.start(read);
    await new Agent(bench, false, null).turn({ user: 'ann' });
    await bench.anthropic().messages.create({
      model: 'm',
      max_tokens: 9,
      metadata: { user_id: 'ann' },
      messages: [{ role: 'user', content: 'Go' }],
    });
    await bench.stop();
    for (const id of sessionsOf(bench)) expect(id).toMatch(/^derived-/);
  });

  it('session name: its settings apply to each conversation with that name', async () => {
    await using bench = await GatewayBench.start(read);
    const session = { 'session-id': 'cx' };
    await ask(bench, false, session, [{ role: 'user', content: '!/set(tool-loop-max-repeats=2)' }]);
    for (const prompt of ['One', 'Other'])
      for (const more of [{}, { 'thread-id': 't-2' }]) {
        const agent = new Agent(bench, false, { ...session, ...more }, prompt);
        expect(kinds(await agent.turns(2))).toEqual(['call', 'stopped']);
      }
  });
});

describe('x-session-id', () => {
  it('x-session-id: names one conversation, so memory counts without a history', async () => {
    await using bench = await GatewayBench.start(read);
    const got = [];
    for (let i = 0; i < 4; i += 1)
      got.push(await ask(bench, false, 's-1', [{ role: 'user', content: 'Go' }]));
    expect(kinds(got)).toEqual(['call', 'call', 'call', 'stopped']);
  });

  it.each<[string, ChatCompletionMessageParam[]]>([
    [
      'a text of the assistant',
      [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: 'I will open it.' },
      ],
    ],
    [
      'another request that was answered',
      [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello, what shall I do?' },
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: 'First I look at the file.' },
      ],
    ],
  ])('x-session-id: counts calls that the history lacks, after %s', async (_, messages) => {
    await using bench = await GatewayBench.start(read);
    const got = [];
    for (let i = 0; i < 4; i += 1) got.push(await ask(bench, false, 's-1', messages));
    expect(kinds(got)).toEqual(['call', 'call', 'call', 'stopped']);
    await bench.stop();
    expect(sessionsOf(bench).size).toBe(1);
  });

  it('x-session-id: is not forwarded, other headers are', async () => {
    await using bench = await GatewayBench.start(read);
    await new Agent(bench, false, { 'x-session-id': 'customer-7', 'x-litellm-session-id': 'l' }).turn();
    const { headers } = bench.upstream.requests[0] ?? {};
    expect(headers).not.toHaveProperty('x-session-id');
    expect(headers).toHaveProperty('x-litellm-session-id', 'l');
  });

  it('x-session-id: two interleaved conversations under one value are no loop', async () => {
    await using bench = await GatewayBench.start(read);
    const agents = [new Agent(bench, false, 's-1', 'One'), new Agent(bench, false, 's-1', 'Other')];
    for (let turn = 0; turn < 3; turn += 1)
      for (const agent of agents) expect((await agent.turn()).finish).toBe('tool_calls');
    for (const agent of agents) expect((await agent.turn()).finish).toBe('error');
  });
});

describe('requests that continue from one response (previous_response_id)', () => {
  it('previous_response_id: several continuations pass, a looping one is blocked', async () => {
    await using bench = await GatewayBench.start(read);
    const client = bench.openai();
    const first = await client.responses.create({ model: 'm', input: 'Go' });
    const next = (previous: string) =>
      client.responses.create({
        model: 'm',
        input: [{ type: 'function_call_output', call_id: 'c', output: 'ok' }],
        previous_response_id: previous,
      });
    const samples = await Promise.all(Array.from({ length: 6 }, () => next(first.id)));
    expect(samples.every(({ output }) => output[0]?.type === 'function_call')).toBe(true);
    let last = samples[0]?.id ?? '';
    const types: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      const answer = await next(last);
      last = answer.id;
      types.push(answer.output[0]?.type);
    }
    expect(types).toEqual(expect.arrayContaining(['message']));
  });
});

describe('messages that the agent adds after results', () => {
  const note = '<environment_details>\nOpen tabs: src/cart.ts\n</environment_details>';

  it.each([false, true])(
    'agent messages after results: are no new prompt, a loop is blocked (streamed: %s)',
    async (stream) => {
      for (const session of [null, 's-1']) {
        await using bench = await GatewayBench.start(read);
        const agent = new Agent(bench, stream, session);
        const got = [];
        for (let turn = 0; turn < 4; turn += 1) {
          got.push(await agent.turn());
          agent.messages.push({ role: 'user', content: `${note} ${String(turn)}` });
        }
        expect(kinds(got)).toEqual(['call', 'call', 'call', 'stopped']);
        await bench.stop();
        expect(bench.events.filter(({ type }) => type === 'prompt_started')).toHaveLength(1);
      }
    },
  );

  it('a message after a model reply is a new prompt', async () => {
    await using bench = await GatewayBench.start(read);
    const agent = new Agent(bench, false, null);
    await agent.turns(3);
    agent.messages.push({ role: 'assistant', content: 'I am done.' }, { role: 'user', content: 'Go on' });
    expect(kinds(await agent.turns(3))).toEqual(['call', 'call', 'call']);
  });
});
