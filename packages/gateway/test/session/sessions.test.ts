import type Anthropic from '@anthropic-ai/sdk';
import { type ModelOutput, modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { Agent, ask, calls } from '../agent.ts';
import { GatewayBench } from '../harness.ts';
import { kinds, read } from './conversations.ts';

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

describe('requests that refer to the items of responses', () => {
  it.each([false, true])(
    'item_reference: a loop is blocked without a name (streamed: %s)',
    async (stream) => {
      await using bench = await GatewayBench.start(read);
      const client = bench.openai(null);
      const input: ResponseInput = [{ role: 'user', content: 'Go' }];
      const types: string[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const { output } = stream
          ? await client.responses.stream({ model: 'm', input }).finalResponse()
          : await client.responses.create({ model: 'm', input });
        for (const item of output) {
          types.push(item.type);
          if (item.type !== 'function_call') continue;
          input.push({ type: 'item_reference', id: item.id ?? '' });
          input.push({ type: 'function_call_output', call_id: item.call_id, output: 'ok' });
        }
      }
      expect(types).toEqual(['function_call', 'function_call', 'function_call', 'message']);
      const sent = bench.upstream.requests.at(-1)?.json;
      expect(sent).toMatchObject({ input: expect.arrayContaining([input[1]]) as unknown });
    },
  );
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

  it.each([
    ['proxy', 'error', false, 11_000],
    ['balanced', 'stop', false, 11_000],
    ['balanced', 'stop', true, 2_000],
  ] as const)(
    'a message after a stop is a new prompt: preset %s, %s, answer kept: %s',
    async (preset, finish, isKept, pause) => {
      await using bench = await GatewayBench.start(calls('read_file', { path: 'a' }), { preset });
      const agent = new Agent(bench, false);
      agent.result = 'The file does not exist yet.';
      const finishes = async (count: number) => (await agent.turns(count)).map((got) => got.finish);
      const run = [...Array<string>(3).fill('tool_calls'), finish];
      expect(await finishes(4)).toEqual(run);
      if (!isKept) agent.messages.pop();
      bench.clock.now += pause;
      agent.messages.push({ role: 'user', content: 'I made the file. Read it again.' });
      expect(await finishes(4)).toEqual(run);
    },
  );

  it('a message after a stop is none if it is known from a harness', async () => {
    await using bench = await GatewayBench.start(calls('read_file', { path: 'a' }));
    const agent = new Agent(bench, false);
    await agent.turns(4);
    agent.messages.pop();
    bench.clock.now += 11_000;
    agent.messages.push({ role: 'user', content: '<system-reminder>Mind the list.</system-reminder>' });
    expect((await agent.turn()).finish).toBe('error');
  });

  const reminder = (step: number) => ({
    type: 'text' as const,
    text: `<system-reminder>Step ${String(step)} of 20, as the list says.</system-reminder>`,
  });
  const asked = { type: 'text' as const, text: 'I made the file. Read it again.' };

  it.each<[string, string, Anthropic.TextBlockParam[], Anthropic.TextBlockParam[]]>([
    ['a text of a person: is a new prompt', 'tool_use', [], [asked]],
    ['a reminder: is none', 'end_turn', [], [reminder(1)]],
    [
      'another reminder: is none',
      'end_turn',
      [reminder(1)],
      [{ type: 'text', text: `${reminder(2).text}\nGo on.` }],
    ],
    [
      'the same text as before: is none',
      'end_turn',
      [{ type: 'text', text: 'Files: a, b' }],
      [{ type: 'text', text: 'Files: a, b' }],
    ],
    ['a text of a person after a reminder: is a new prompt', 'tool_use', [reminder(1)], [reminder(1), asked]],
    [
      'a text of a person before a reminder: is a new prompt',
      'tool_use',
      [reminder(1)],
      [asked, reminder(2)],
    ],
  ])('beside the results after a stop, %s', async (_, stop, before, after) => {
    for (const session of [null, 's-1']) {
      await using bench = await GatewayBench.start(read, { preset: 'balanced' });
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Fix it' }];
      const turn = async () => {
        const { content, stop_reason: reason } = await bench
          .anthropic(session)
          .messages.create({ model: 'm', max_tokens: 100, messages });
        const results = content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'No such file yet.' }]
            : [],
        );
        if (results.length > 0)
          messages.push({ role: 'assistant', content }, { role: 'user', content: [...results, ...before] });
        return reason;
      };
      for (let i = 0; i < 3; i += 1) expect(await turn()).toBe('tool_use');
      expect(await turn()).toBe('end_turn');
      const last = messages.at(-1);
      if (Array.isArray(last?.content)) last.content = [...last.content.slice(0, 1), ...after];
      expect(await turn()).toBe(stop);
      if (stop === 'end_turn') continue;
      for (let i = 0; i < 2; i += 1) expect(await turn()).toBe('tool_use');
      expect(await turn()).toBe('end_turn');
    }
  });

  it('a message after a model reply is a new prompt', async () => {
    await using bench = await GatewayBench.start(read);
    const agent = new Agent(bench, false, null);
    await agent.turns(3);
    agent.messages.push({ role: 'assistant', content: 'I am done.' }, { role: 'user', content: 'Go on' });
    expect(kinds(await agent.turns(3))).toEqual(['call', 'call', 'call']);
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

  it.each<[string, ModelOutput, number, string]>([
    ['passes once the model has answered it', { text: 'All tests pass.' }, 8, 'tool_calls'],
    ['counts if the model has said nothing', {}, 4, 'error'],
  ])('sessions: the same question as a new run %s', async (_, last, runs, finish) => {
    await using bench = await GatewayBench.start((request) => {
      const isDone = JSON.stringify(request.json).includes('"role":"tool"');
      return modelReply(
        request,
        isDone ? last : { calls: [{ name: 'bash', args: { command: 'npm test' } }] },
      );
    });
    const first: string[] = [];
    for (let run = 0; run < runs; run += 1) {
      const agent = new Agent(bench, run % 2 === 1);
      agent.result = `14 passed in 3.${String(run)} s`;
      first.push((await agent.turn()).finish);
      if (first.at(-1) === 'tool_calls') await agent.turn();
    }
    expect(first).toEqual([...Array<string>(runs - 1).fill('tool_calls'), finish]);
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
