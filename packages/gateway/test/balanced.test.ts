import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { Agent, calls, sent } from './agent.ts';
import { GatewayBench } from './harness.ts';

describe.each([false, true])('preset balanced (streamed: %s)', (stream) => {
  it('preset balanced: polling passes while results change', async () => {
    await using bench = await GatewayBench.start(calls('ci_result', { run: 7 }), { preset: 'balanced' });
    const agent = new Agent(bench, stream);
    for (let i = 0; i < 12; i += 1) {
      agent.result = `step ${String(i)} of 12: compiling module number ${String(i)} of the project`;
      expect((await agent.turn()).finish).toBe('tool_calls');
    }
    expect(bench.verdicts).toEqual([]);
  });

  it('preset balanced: identical calls with identical results get a chance, then a block', async () => {
    await using bench = await GatewayBench.start(calls('read_file', { path: 'a' }), { preset: 'balanced' });
    const agent = new Agent(bench, stream);
    agent.result = 'The file src/cart.ts does not hold what you look for.';
    const got: string[] = [];
    for (let i = 0; i < 6; i += 1) got.push((await agent.turn()).finish);
    await bench.stop();
    expect(got.indexOf('stop')).toBeGreaterThan(2);
    const told = bench.upstream.requests.findIndex((request) =>
      JSON.stringify(sent(request)).includes('Stop and think'),
    );
    expect(told).toBeGreaterThan(1);
    // The call after the chance does not run; each further one counts, and is reported when the count has doubled.
    expect(bench.verdicts.map(({ action, count }) => [action, count])).toEqual([
      ['chance', 3],
      ['block', 4],
      ['block', 6],
    ]);
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
    expect(got.slice(got.indexOf('stop')).every((finish) => finish === 'stop')).toBe(true);
  });

  it('preset balanced: a chance is given once, even if its request fails', async () => {
    const isChance = (messages: unknown) => JSON.stringify(messages).includes('You have called read_file');
    await using bench = await GatewayBench.start(
      (request, i) =>
        isChance(request.json['messages'])
          ? { status: 429, json: { error: { message: 'Rate limit reached' } } }
          : calls('read_file', { path: 'a' })(request, i),
      { preset: 'balanced' },
    );
    const agent = new Agent(bench, stream, null);
    agent.result = 'Error: ENOENT: no such file or directory, open a';
    const got: string[] = [];
    for (let i = 0; i < 8; i += 1)
      got.push(
        await agent.turn().then(
          ({ finish }) => finish,
          () => 'failed',
        ),
      );
    // The client's own request fails, with the note that was added to its results; then the model cannot be told of the call.
    expect(got).toEqual([...Array<string>(3).fill('tool_calls'), 'failed', ...Array<string>(4).fill('stop')]);
    expect(bench.upstream.requests.filter(({ json }) => isChance(json['messages']))).toHaveLength(2);
  });

  it('preset balanced: identical calls side by side are stopped like one', async () => {
    await using bench = await GatewayBench.start(
      (request) =>
        modelReply(request, {
          calls: ['a', 'b'].map((path) => ({ name: 'read_file', args: { path } })),
        }),
      { preset: 'balanced' },
    );
    const agent = new Agent(bench, stream);
    agent.result = 'The file does not hold what you look for.';
    expect((await agent.turns(5)).map(({ finish }) => finish)).toEqual([
      ...Array<string>(3).fill('tool_calls'),
      ...Array<string>(2).fill('stop'),
    ]);
    await bench.stop();
    expect(bench.verdicts.map(({ action, count }) => [action, count])).toEqual([
      ['chance', 3],
      ['block', 4],
      ['block', 6],
    ]);
  });

  it('preset balanced: a call that was refused along with a loop is no step of its own', async () => {
    const read = { name: 'read_file', args: { path: 'a' } };
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(request, { calls: [...(i > 2 ? [{ name: 'grep', args: { pattern: i } }] : []), read] }),
      { preset: 'balanced' },
    );
    const agent = new Agent(bench, stream);
    agent.result = 'The file does not hold what you look for.';
    expect((await agent.turns(4)).map(({ finish }) => finish)).toEqual([
      ...Array<string>(3).fill('tool_calls'),
      // In a stream, the call before has been sent already, and runs.
      stream ? 'tool_calls' : 'stop',
    ]);
  });

  it('preset balanced: repeated identical failures are blocked without asking the model', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(request, { calls: [{ name: 'read_file', args: { path: `src/${String(i)}.ts` } }] }),
      { preset: 'balanced' },
    );
    const agent = new Agent(bench, stream);
    agent.result = 'Error: EACCES: permission denied, open';
    const got: string[] = [];
    for (let i = 0; i < 9; i += 1) got.push((await agent.turn()).finish);
    expect(got).toContain('stop');
    expect(JSON.stringify(bench.upstream.requests.map(({ json }) => json))).toContain(
      'State what you know and what is missing',
    );
    // It goes on being stopped, whatever is tried.
    expect(got.slice(-1)).toEqual(['stop']);
  });
});
