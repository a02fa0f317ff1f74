import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent, calls } from '../agent.ts';
import { GatewayBench, type Script, type Session } from '../harness.ts';
import { kinds, read, sessionsOf } from './conversations.ts';

/** A model whose calls have the same id in every conversation. */
const sameIds: Script = (request) =>
  modelReply(request, { calls: [{ id: 'call_0', name: 'read_file', args: { path: 'a' } }] });

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

  it('shared name: twenty samples of one prompt pass, a few at a time', async () => {
    await using bench = await GatewayBench.start(read);
    const got: { readonly finish: string }[] = [];
    const left = conversations(bench, 20);
    const sample = async (): Promise<void> => {
      const agent = left.pop();
      if (agent === undefined) return;
      got.push(await agent.turn(more));
      await sample();
    };
    await Promise.all([sample(), sample(), sample()]);
    expect(kinds(got)).toEqual(Array(20).fill('call'));
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

  it.each<[string, boolean, (i: number) => string]>([
    ['the time', true, (i) => `It is 10:${String(10 + i)}:33. Weather in Paris?`],
    ['its number', true, (i) => `Step ${String(i)}: weather in Paris?`],
    ['a number', false, (i) => `Classify text number ${String(17 * i)}`],
    ['the time of a line', false, (i) => `Classify 10:${String(10 + i)}:33 WARN disk`],
  ])('shared name: requests that differ in %s are the same: %s', async (_what, isSame, prompt) => {
    await using bench = await GatewayBench.start(read);
    const got = [];
    for (let i = 0; i < 12; i += 1) got.push(await new Agent(bench, false, session, prompt(i)).turn(more));
    expect(kinds(got).includes('stopped')).toBe(isSame);
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
