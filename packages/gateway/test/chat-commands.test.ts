import { describe, expect, it } from 'vitest';
import { Agent, calls, says, sent } from './agent.ts';
import { GatewayBench } from './harness.ts';

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
