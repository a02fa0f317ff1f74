import { modelReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Agent, ask } from '../agent.ts';
import { GatewayBench, type Session } from '../harness.ts';
import { kinds, read, sessionsOf } from './conversations.ts';

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

  it.each<[string, (i: number) => ChatCompletionMessageParam[]]>([
    [
      'a text of the assistant',
      () => [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: 'I will open it.' },
      ],
    ],
    [
      'texts of the assistant that become more',
      (i) => [
        { role: 'user', content: 'Go' },
        ...Array.from({ length: i }, () => ({ role: 'assistant' as const, content: 'I will open it.' })),
      ],
    ],
    [
      'a message that counts its steps',
      (i) => [
        { role: 'user', content: 'Go' },
        { role: 'user', content: `Step ${String(i)}. Last result: the file does not exist` },
      ],
    ],
    [
      'another request that was answered',
      () => [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello, what shall I do?' },
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: 'First I look at the file.' },
      ],
    ],
  ])('x-session-id: counts calls that the history lacks, after %s', async (_, messages) => {
    await using bench = await GatewayBench.start(read);
    const got = [];
    for (let i = 0; i < 4; i += 1) got.push(await ask(bench, false, 's-1', messages(i)));
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

  it.each([
    ['at once', 'One', 'Two', 'Three', 'Four', 'Five'],
    ['at once with equal prompts', 'One', 'One', 'One', 'One', 'One'],
  ])('x-session-id: agents that work %s under one value are no loop', async (_, ...prompts) => {
    let waiting: (() => void)[] = [];
    await using bench = await GatewayBench.start(async (request, i) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < prompts.length) return;
        for (const release of waiting) release();
        waiting = [];
      });
      return read(request, i);
    });
    const agents = prompts.map((prompt) => new Agent(bench, false, 's-1', prompt));
    for (let turn = 0; turn < 3; turn += 1) {
      const got = await Promise.all(agents.map((agent) => agent.turn()));
      expect(got.map(({ finish }) => finish)).toEqual(prompts.map(() => 'tool_calls'));
    }
    const got = await Promise.all(agents.map((agent) => agent.turn()));
    expect(got.map(({ finish }) => finish)).toEqual(prompts.map(() => 'error'));
  });

  it('x-session-id: an agent goes on while the question of another waits for its answer', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using bench = await GatewayBench.start(async (request, i) => {
      if (JSON.stringify(request.json['messages']).includes('Other')) await released;
      return read(request, i);
    });
    const one = new Agent(bench, false, 's-1', 'One');
    const other = new Agent(bench, false, 's-1', 'Other');
    expect((await one.turn()).finish).toBe('tool_calls');
    const asked = other.turn();
    await expect.poll(() => bench.upstream.requests.length).toBe(2);
    for (let turn = 0; turn < 2; turn += 1) expect((await one.turn()).finish).toBe('tool_calls');
    release();
    expect((await asked).finish).toBe('tool_calls');
    for (let turn = 0; turn < 2; turn += 1) expect((await other.turn()).finish).toBe('tool_calls');
    for (const agent of [one, other]) expect((await agent.turn()).finish).toBe('error');
  });

  it('x-session-id: two interleaved conversations under one value are no loop', async () => {
    await using bench = await GatewayBench.start(read);
    const agents = [new Agent(bench, false, 's-1', 'One'), new Agent(bench, false, 's-1', 'Other')];
    for (let turn = 0; turn < 3; turn += 1)
      for (const agent of agents) expect((await agent.turn()).finish).toBe('tool_calls');
    for (const agent of agents) expect((await agent.turn()).finish).toBe('error');
  });
});

describe('a history that its agent has replaced by a summary', () => {
  const session = { 'x-claude-code-session-id': 'c-1' };

  it.each([
    ['This session is being continued from a previous conversation that ran out of context.', true],
    ['Here is a summary of the conversation to date:\n\nThe agent reads a file.', true],
    ['You are in the middle of a conversation that has been summarized.', true],
    [
      '<system-reminder>Be brief.</system-reminder>\nThis session is being continued from a previous conversation',
      true,
    ],
    ['Another language model started to solve this problem and produced a summary of its thinking', true],
    ['<state_snapshot>', true],
    ['Summarize the conversation.', false],
  ])('%j: goes on with the latest session of its name: %s', async (text, isSame) => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        JSON.stringify(request.json['messages']).includes('title')
          ? modelReply(request, { text: 'Hi' })
          : read(request, i),
      { preset: 'balanced' },
    );
    for (let summary = 0; summary < 4; summary += 1) {
      const agent = new Agent(
        bench,
        false,
        session,
        `${text} Summary ${String(summary)}: the file is missing.`,
      );
      agent.result = 'Error: ENOENT: no such file or directory, open a';
      await agent.turns(2);
      // A request of the same name that is none of the agent's.
      await ask(bench, false, session, [{ role: 'user', content: `title ${String(summary)}` }]);
    }
    await bench.stop();
    const callers = bench.events.filter(({ type }) => type === 'tool_call_request');
    expect(new Set(callers.map(({ sessionId }) => sessionId)).size).toBe(isSame ? 1 : 4);
    expect(bench.verdicts.some(({ phase }) => phase === 'opened')).toBe(isSame);
  });
});
