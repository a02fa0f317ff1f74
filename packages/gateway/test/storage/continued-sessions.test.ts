import { modelReply, startScriptedUpstream } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { Agent } from '../agent.ts';
import { GatewayBench, type Script } from '../harness.ts';
import { type Flags, gatewayOn, goOn, startUpstream } from './stored-gateway.ts';

/** A model that makes another call with each request: no loop. */
const otherCalls: Script = (request, i) =>
  modelReply(request, { calls: [{ name: 'read_file', args: { path: String(i) } }] });

onBothDatabases(({ make, kind }) => {
  it.each(['proxy', 'balanced', 'similar'])(
    'restart: a session continues from the history of its next request (preset %s)',
    async (preset) => {
      const { database } = await make();
      await using upstream = await startUpstream();
      const whole = await GatewayBench.before(upstream, { preset });
      const expected = (await new Agent(whole, false, 's-1').turns(6)).map(({ finish }) => finish);
      await whole.stop();
      const got: string[] = [];
      let agent: Agent | undefined;
      for (let i = 0; i < 6; i += 1) {
        const bench = await gatewayOn(database, upstream, { preset });
        agent = goOn(bench, agent);
        got.push((await agent.turn()).finish);
        await bench.stop();
      }
      expect(got).toEqual(expected);
      expect(new Set(got).size).toBe(2);
    },
  );

  it('restart: unnamed sessions continue, each with its own count', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const agents: Agent[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      const bench = await gatewayOn(database, upstream);
      for (let i = 0; i < 3; i += 1) {
        const next = new Agent(bench, false, null);
        next.messages.splice(0, 1, ...(agents[i] ?? next).messages);
        agents[i] = next;
      }
      const got = await Promise.all(agents.map((agent) => agent.turn()));
      expect(new Set(got.map(({ finish }) => finish))).toEqual(new Set([turn < 4 ? 'tool_calls' : 'error']));
      await bench.stop();
    }
  });

  it('restart: changed settings apply to the calls in the history', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    const first = await gatewayOn(database, upstream, { 'tool_call_loop.max_repeats': 6 });
    const agent = goOn(first, undefined);
    await agent.turns(3);
    await first.stop();
    const second = await gatewayOn(database, upstream, { 'tool_call_loop.max_repeats': 4 });
    expect((await goOn(second, agent).turn()).finish).toBe('error');
    await second.stop();
    expect(second.verdicts).toMatchObject([{ phase: 'opened', count: 4, threshold: 4 }]);
  });

  it('a session evicted from memory continues from the history of its next request', async () => {
    const { database } = await make();
    await using upstream = await startUpstream();
    await using bench = await gatewayOn(database, upstream, { 'gateway.max_sessions': 1 });
    const one = new Agent(bench, false, 'one');
    const other = new Agent(bench, false, 'other');
    for (let i = 0; i < 3; i += 1) {
      expect((await one.turn()).finish).toBe('tool_calls');
      expect((await other.turn()).finish).toBe('tool_calls');
    }
    expect((await one.turn()).finish).toBe('error');
  });

  const price = { prices: { 'gpt-5-mini': { input: 1_000, output: 2_000 } } };
  it.each<[string, Flags]>([
    ['calls', { 'budget.calls': 4 }],
    ['tokens', { 'budget.tokens': 60 }],
    ['dollars', { 'budget.usd': 0.08, ...price }],
    ['minutes', { 'budget.minutes': 4 }],
  ])('restart: a budget of %s counts what was used before, also for earlier prompts', async (_, flags) => {
    const { database } = await make();
    await using upstream = await startScriptedUpstream(otherCalls);
    const got: string[] = [];
    let agent: Agent | undefined;
    for (let turn = 0; turn < 5; turn += 1) {
      const bench = await gatewayOn(database, upstream, flags);
      bench.clock.now += turn * 60_000;
      agent = goOn(bench, agent);
      got.push((await agent.turn()).finish);
      if (turn === 1)
        agent.messages.push({ role: 'assistant', content: 'So far.' }, { role: 'user', content: 'Go on' });
      await bench.stop();
    }
    expect(got).toEqual([...Array<string>(4).fill('tool_calls'), 'error']);
  });

  it('a session evicted from memory keeps what it has used', async () => {
    const { database } = await make();
    await using upstream = await startScriptedUpstream(otherCalls);
    await using bench = await gatewayOn(database, upstream, {
      'gateway.max_sessions': 1,
      'budget.tokens': 45,
    });
    const agents = [new Agent(bench, false, 'one'), new Agent(bench, false, 'other')];
    for (let turn = 0; turn < 3; turn += 1)
      for (const agent of agents) expect((await agent.turn()).finish).toBe('tool_calls');
    for (const agent of agents) expect((await agent.turn()).finish).toBe('error');
  });

  it.each<[string, number, string, (agent: Agent) => void]>([
    ['that goes on has no new budget', 60_000, 'error', () => undefined],
    ['that begins anew has one', 60_000, 'tool_calls', ({ messages }) => messages.splice(1)],
    ['with a longer pause has one', 31 * 60_000, 'tool_calls', () => undefined],
  ])('restart: an unnamed session %s', async (_, pause, finish, change) => {
    const { database } = await make();
    await using upstream = await startScriptedUpstream(otherCalls);
    const flags = { 'budget.tokens': 30, 'session.idle_seconds': 1_800 };
    const first = await gatewayOn(database, upstream, flags);
    const agent = new Agent(first, false, null);
    await agent.turns(2);
    await first.stop();
    await using second = await gatewayOn(database, upstream, flags);
    second.clock.now += pause;
    const next = new Agent(second, false, null);
    next.messages.splice(0, 1, ...agent.messages);
    change(next);
    expect((await next.turn()).finish).toBe(finish);
  });

  if (kind === 'postgres') {
    describe('two gateways', () => {
      it.each(['proxy', 'balanced', 'similar'])(
        'two gateways: alternating, they block at the same call as one (preset %s)',
        async (preset) => {
          const { database, open } = await make();
          await using upstream = await startUpstream();
          const whole = await GatewayBench.before(upstream, { preset });
          const expected = (await new Agent(whole, false, 's-1').turns(6)).map(({ finish }) => finish);
          await whole.stop();
          const benches = [
            await gatewayOn(database, upstream, { preset }),
            await gatewayOn(await open(), upstream, { preset }),
          ] as const;
          const got: string[] = [];
          let agent: Agent | undefined;
          for (let i = 0; i < 6; i += 1) {
            agent = goOn(benches[i % 2 === 0 ? 0 : 1], agent);
            got.push((await agent.turn()).finish);
          }
          expect(got).toEqual(expected);
          for (const bench of benches) await bench.stop();
          expect(benches.flatMap((bench) => bench.texts('error'))).toEqual([]);
        },
      );

      it('two gateways: a request may continue from a reply of the other', async () => {
        const { database, open } = await make();
        await using upstream = await startUpstream();
        const one = await gatewayOn(database, upstream);
        const two = await gatewayOn(await open(), upstream);
        const sessions: unknown[] = [];
        let previous: string | undefined;
        for (let i = 0; i < 4; i += 1) {
          const bench = i % 2 === 0 ? one : two;
          const output = { type: 'function_call_output', call_id: `c-${String(i)}`, output: 'ok' } as const;
          const answer = await bench.openai().responses.create({
            model: 'm',
            input: previous === undefined ? 'Go' : [output],
            ...(previous !== undefined && { previous_response_id: previous }),
          });
          previous = answer.id;
          expect(answer.status).toBe('completed');
        }
        await one.stop();
        await two.stop();
        for (const { events } of [one, two]) sessions.push(...events.map(({ sessionId }) => sessionId));
        expect(new Set(sessions).size).toBe(1);
      });
    });
  }
});
