import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const line = (type: string, payload: object) => ({ timestamp: '2026-05-07T00:00:00.000Z', type, payload });
const meta = (id: string, more: object = {}) =>
  line('session_meta', { id, cli_version: '0.142.4', source: 'exec', ...more });
const item = (payload: object) => line('response_item', payload);
const call = (id: string, cmd = 'ls') =>
  item({ type: 'function_call', name: 'exec_command', call_id: id, arguments: JSON.stringify({ cmd }) });
const output = (id: string, text: unknown) =>
  item({ type: 'function_call_output', call_id: id, output: text });
const tokens = (total: number) =>
  line('event_msg', {
    type: 'token_count',
    info: {
      last_token_usage: {
        input_tokens: 10,
        cached_input_tokens: 4,
        output_tokens: 3,
        reasoning_output_tokens: 1,
      },
      total_token_usage: { input_tokens: total },
    },
  });
const says = (role: string, text: string) =>
  item({ type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] });
const read = (...records: object[]) => readAll('codex', records);

describe('Codex rollouts', () => {
  it('count what was added to the totals, if they report no more than these', () => {
    const totals = (input: number, output: number) =>
      line('event_msg', {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: input, output_tokens: output } },
      });
    const { events } = read(
      meta('s'),
      call('a'),
      totals(10, 2),
      totals(10, 2),
      output('a', 'x'),
      totals(25, 5),
    );
    const usage = events.flatMap((event) => event['usage'] ?? []);
    expect(usage).toMatchObject([
      { inputTokens: 10, outputTokens: 2 },
      { inputTokens: 15, outputTokens: 3 },
    ]);
  });

  it('start a turn at each model output after a result, and end it at its usage', () => {
    const { events } = read(
      meta('a'),
      line('turn_context', { model: 'gpt-5.3-codex' }),
      says('user', '<environment_context>…'),
      says('user', 'fix it'),
      call('1'),
      call('2'),
      output('1', 'x'),
      output('2', 'y'),
      tokens(1),
      tokens(1),
      says('assistant', 'Done.'),
      tokens(2),
    );
    expect(outline(events)).toEqual([
      'prompt_started fix it',
      'turn_started',
      'tool_call_request exec_command',
      'tool_call_request exec_command',
      'tool_result x',
      'tool_result y',
      'turn_finished',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
    expect(events[6]).toMatchObject({
      usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, reasoningTokens: 1 },
      model: 'gpt-5.3-codex',
      agentVersion: '0.142.4',
    });
  });

  it.each([
    [
      'text with its exit code',
      'Chunk ID: 3fa9c1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno',
      true,
    ],
    ['text of a success', 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nok', false],
    ['text with an exit code printed by the command', `${'x\n'.repeat(500)}Exit code: 1\n`, undefined],
    ['JSON with metadata', '{"output":"no","metadata":{"exit_code":2}}', true],
    ['an object with a success flag', { content: 'no', success: false }, true],
  ])('detect whether %s has failed', (_, text, isError) => {
    expect(read(meta('a'), output('1', text)).events).toEqual([
      expect.objectContaining({ type: 'tool_result', isError }),
    ]);
  });

  it.each([
    ['of the user', ['user'], 'fix it', true],
    ['of the user with context before it', ['harness', 'user'], 'fix it', true],
    ['of Codex', ['harness'], 'Continue.', false],
    ['of a tool', ['tool'], '<subagent_notification>\n{}', false],
    ['of the user that quotes one of Codex', ['user'], '<turn_aborted> is what I see', true],
    ['without an author', [], 'fix it', true],
    ['of an earlier version about a sub-agent', [], '<subagent_notification>\n{}', false],
  ])('know whether a message %s is a prompt', (_, authors, text, isPrompt) => {
    const parts = authors.map((type) => ({ provenance: { type } }));
    const { payload } = says('user', text);
    const record = item({
      ...payload,
      internal_chat_message_metadata_passthrough: { turn_id: 't', content_item_metadata: parts },
    });
    expect(outline(read(meta('a'), record).events)).toEqual(isPrompt ? [`prompt_started ${text}`] : []);
  });

  it('count a call, a text and a prompt once, although events repeat them', () => {
    const completed = (one: object) =>
      line('event_msg', { type: 'item_completed', thread_id: 'a', item: one });
    const { events } = read(
      meta('a', { history_mode: 'paginated', cli_version: '0.171.0' }),
      says('user', 'fix it'),
      completed({ type: 'UserMessage', id: 'u', content: [{ type: 'text', text: 'fix it' }] }),
      completed({ type: 'AgentMessage', id: 'm', content: [{ type: 'Text', text: 'I look.' }] }),
      says('assistant', 'I look.'),
      call('1'),
      item({
        type: 'tool_search_call',
        id: 's',
        call_id: '2',
        execution: 'client',
        arguments: { query: 'git' },
      }),
      line('token_usage_record', { thread_id: 'a', usage: { input_tokens: 10, output_tokens: 3 } }),
      completed({ type: 'CommandExecution', id: '1', command: ['/bin/bash', '-lc', 'ls'], exit_code: 0 }),
      output('1', 'x'),
      item({ type: 'tool_search_output', call_id: '2', execution: 'client', tools: [] }),
      tokens(1),
    );
    expect(outline(events)).toEqual([
      'prompt_started fix it',
      'turn_started',
      'content I look.',
      'tool_call_request exec_command',
      'tool_call_request tool_search',
      'tool_result x',
      'tool_result []',
      'turn_finished',
    ]);
    expect(events[6]).toMatchObject({ callId: '2' });
  });

  it('keep the ids of the history that a fork starts with, and name the parent of the fork', () => {
    const history = [meta('parent'), says('user', 'go'), call('1')];
    // Without the end of the turn that the end of the file cuts.
    const own = read(...history).events.slice(0, -1);
    const { events } = read(meta('fork', { forked_from_id: 'parent' }), ...history, says('user', 'go'));
    expect(events.slice(0, own.length).map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect(events.at(-1)).toMatchObject({
      id: expect.stringMatching(/^parent:.*:2$/),
      sessionId: 'fork',
      parentSessionId: 'parent',
    });
  });

  it('name the parent of a sub-agent, and keep code unchanged', () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: 'p' } } };
    const { events } = read(
      meta('child', { source }),
      item({ type: 'custom_tool_call', name: 'exec', call_id: 'c', input: 'await run()' }),
    );
    expect(events[1]).toMatchObject({ parentSessionId: 'p', name: 'exec', args: { input: 'await run()' } });
  });
});

describe('codex exec --json', () => {
  it('reads the start and the completion of an item as one call, and each step as a turn', () => {
    const command = (type: string, more: object) => ({
      type,
      item: { id: 'item_0', type: 'command_execution', command: 'ls', ...more },
    });
    const { events, ignored } = read(
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.started' },
      command('item.started', { status: 'in_progress' }),
      command('item.completed', { aggregated_output: 'no', exit_code: 1, status: 'completed' }),
      {
        type: 'item.completed',
        item: {
          id: 'item_1',
          type: 'mcp_tool_call',
          server: 'git',
          tool: 'log',
          arguments: { n: 1 },
          result: 'x',
          status: 'completed',
        },
      },
      { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 'Done.' } },
      { type: 'turn.completed', usage: { input_tokens: 5, cached_input_tokens: 2, output_tokens: 1 } },
    );
    expect(outline(events)).toEqual([
      'prompt_started',
      'turn_started',
      'tool_call_request command_execution',
      'tool_result no',
      'turn_finished',
      'turn_started',
      'tool_call_request git__log',
      'tool_result x',
      'turn_finished',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
    expect(events[3]).toMatchObject({ sessionId: 't', isError: true });
    expect(ignored).toEqual(['thread.started']);
  });
});
