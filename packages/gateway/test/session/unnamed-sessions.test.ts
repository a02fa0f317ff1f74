import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Agent, ask } from '../agent.ts';
import { apiCases } from '../api-agents.ts';
import { GatewayBench } from '../harness.ts';
import { kinds, read, sessionsOf } from './conversations.ts';

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
