import { modelReply, type ScriptedUpstream, startScriptedUpstream } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { type KeptSession, MemorySessionKeeper, type SessionKeeper } from '../src/index.ts';
import { Agent } from './agent.ts';
import { GatewayBench } from './harness.ts';

const startUpstream = (): Promise<ScriptedUpstream> =>
  startScriptedUpstream((request) =>
    modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' } }] }),
  );

describe('a session that is kept', () => {
  it.each(['proxy', 'balanced', 'similar'])(
    'goes on in another gateway as in one (preset %s)',
    async (preset) => {
      await using upstream = await startUpstream();
      const whole = await GatewayBench.before(upstream, { preset });
      const expected = await new Agent(whole, false, 's-1').turns(7);
      await whole.stop();
      const keeper = new MemorySessionKeeper(10);
      const got: Awaited<ReturnType<Agent['turn']>>[] = [];
      let messages: Agent['messages'] = [];
      for (let i = 0; i < 7; i += 1) {
        // Each request meets a gateway that has just been started.
        const bench = await GatewayBench.before(upstream, { preset }, {}, keeper);
        const agent = new Agent(bench, false, 's-1');
        if (i > 0) agent.messages.splice(0, 1, ...messages);
        got.push(await agent.turn());
        messages = agent.messages;
        await bench.stop();
      }
      expect(got).toEqual(expected);
      expect(got.some(({ calls }) => calls.length === 0)).toBe(true);
    },
  );

  it('has its own settings with it', async () => {
    await using upstream = await startUpstream();
    const keeper = new MemorySessionKeeper(10);
    const first = await GatewayBench.before(upstream, {}, {}, keeper);
    await new Agent(first, false, 's-1', '!/set(tool-loop-max-repeats=2)').turn();
    await first.stop();
    const second = await GatewayBench.before(upstream, {}, {}, keeper);
    expect((await new Agent(second, false, 's-1').turns(2)).map(({ finish }) => finish)).toEqual([
      'tool_calls',
      'error',
    ]);
    await second.stop();
  });

  it('begins afresh under other settings', async () => {
    await using upstream = await startUpstream();
    const keeper = new MemorySessionKeeper(10);
    const first = await GatewayBench.before(upstream, {}, {}, keeper);
    await new Agent(first, false, 's-1').turns(3);
    await first.stop();
    const second = await GatewayBench.before(upstream, { 'tool_call_loop.max_repeats': 3 }, {}, keeper);
    expect((await new Agent(second, false, 's-1').turns(3)).map(({ finish }) => finish)).toEqual([
      'tool_calls',
      'tool_calls',
      'error',
    ]);
    await second.stop();
  });

  it('survives being thrown out of memory', async () => {
    await using upstream = await startUpstream();
    await using bench = await GatewayBench.before(
      upstream,
      { 'gateway.max_sessions': 1 },
      {},
      new MemorySessionKeeper(10),
    );
    const one = new Agent(bench, false, 'one');
    const other = new Agent(bench, false, 'other');
    for (let i = 0; i < 3; i += 1) {
      expect((await one.turn()).finish).toBe('tool_calls');
      expect((await other.turn()).finish).toBe('tool_calls');
    }
    expect((await one.turn()).finish).toBe('error');
  });

  it('that cannot be had or kept fails no request', async () => {
    const broken: SessionKeeper = {
      load: () => Promise.reject(new Error('no database')),
      keep: () => Promise.reject(new Error('no database')),
    };
    await using upstream = await startUpstream();
    await using bench = await GatewayBench.before(upstream, {}, {}, broken);
    expect((await new Agent(bench, false).turns(4)).map(({ finish }) => finish).at(-1)).toBe('error');
    expect(new Set(bench.texts('error'))).toEqual(
      new Set(['error A session could not be loaded; it begins afresh', 'error A session could not be kept']),
    );
  });
});

it('memory keeps the latest, within its bound', async () => {
  const keeper = new MemorySessionKeeper(2);
  const session = (settings: string) => ({ settings }) as KeptSession;
  for (const id of ['a', 'b', 'a', 'c']) await keeper.keep(id, session(id));
  expect(await Promise.all(['a', 'b', 'c'].map((id) => keeper.load(id)))).toEqual([
    { settings: 'a' },
    undefined,
    { settings: 'c' },
  ]);
});
