import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent, ask, calls, sent } from './agent.ts';
import { GatewayBench, type Script } from './harness.ts';

describe.each([false, true])('Chat Completions (streamed: %s)', (stream) => {
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
