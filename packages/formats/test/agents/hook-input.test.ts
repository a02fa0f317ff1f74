import { createSessionAnalyzer } from '@loopwatch/detectors';
import { expect, it } from 'vitest';
import { hookAgentOf, readHookInput } from '../../src/agents/hook-input.ts';
import { outline, readAll } from '../read-all.ts';

const input = (name: string, more: object = {}) => ({
  session_id: 's',
  cwd: '/w',
  transcript_path: '/h/.claude/projects/p/s.jsonl',
  hook_event_name: name,
  ...more,
});
const tool = (id: string, more: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_use_id: id,
  ...more,
});
const before = (id: string) => input('PreToolUse', tool(id));
const after = (id: string) => input('PostToolUse', tool(id, { tool_response: 'failed' }));

it('hook input: is read as calls, results and prompts', () => {
  const { events, ignored } = readAll('auto', [
    input('SessionStart', { source: 'startup' }),
    input('UserPromptSubmit', { prompt: 'Mend the tests' }),
    before('t1'),
    after('t1'),
    input('PostToolUseFailure', tool('t2', { error: 'timed out' })),
    input('Stop'),
    input('SessionEnd', { reason: 'logout' }),
  ]);
  expect(outline(events)).toEqual([
    'prompt_started Mend the tests',
    'tool_call_request Bash',
    'tool_call_request Bash',
    'tool_result failed',
    'tool_call_request Bash',
    'tool_result timed out',
    'session_ended',
  ]);
  expect(events[0]).toMatchObject({ origin: 'user' });
  expect(events.map(({ id }) => id).filter(Boolean)).toEqual([
    ...['call:t1', 'call:t1', 'result:t1', 'call:t2', 'result:t2'],
  ]);
  expect(events.at(-2)).toMatchObject({ isError: true });
  expect(ignored).toEqual(['SessionStart', 'Stop']);
});

it('hook input: a call reported before and after it runs counts once, and its loop is found', () => {
  const { events } = readAll(
    'auto',
    ['t1', 't2', 't3'].flatMap((id) => [before(id), after(id)]),
  );
  const analyzer = createSessionAnalyzer();
  expect(events.flatMap((event) => analyzer.push(event))).toMatchObject([
    { detector: 'tool-repeat', phase: 'opened', count: 3 },
  ]);
});

it('hook input: recognizes sub-agents, and Codex by its turn ids', () => {
  const sub = { ...after('t'), agent_id: 'a1' };
  const codex = { ...after('t'), turn_id: 'turn-1', model: 'gpt-5.5' };
  expect(readAll('claude-code', [sub]).events[0]).toMatchObject({
    sessionId: 's/a1',
    parentSessionId: 's',
    agent: 'claude-code',
  });
  expect(readAll('codex', [codex]).events[0]).toMatchObject({
    sessionId: 's',
    agent: 'codex',
    model: 'gpt-5.5',
  });
});

it('hook input: recognizes Copilot by its time, Visual Studio Code, and Cursor by its ids', () => {
  const call = { tool_name: 'Read', tool_input: { path: 'a' } };
  const at = { timestamp: '2026-11-27T03:00:00.000Z', cwd: '/w' };
  const failed = { hook_event_name: 'PostToolUseFailure', session_id: 's', error: 'Path does not exist' };
  const cli = readAll('auto', [
    { ...at, ...call, hook_event_name: 'PreToolUse', session_id: 's' },
    { ...at, ...call, ...failed },
    {
      ...at,
      ...call,
      hook_event_name: 'PostToolUse',
      session_id: 's',
      tool_result: { result_type: 'success', text_result_for_llm: 'text' },
    },
  ]);
  expect(outline(cli.events)).toEqual([
    'tool_call_request Read',
    'tool_result Path does not exist',
    'tool_result text',
  ]);
  expect(cli.events[1]).toMatchObject({
    agent: 'copilot-cli',
    isError: true,
    time: Date.parse(at.timestamp),
  });
  const code = { ...at, ...call, tool_use_id: 't', hookEventName: 'PostToolUse', sessionId: 's' };
  expect(readAll('auto', [{ ...code, tool_response: 'text' }]).events).toMatchObject([
    { type: 'tool_call_request', agent: 'copilot-cli', sessionId: 's', callId: 't' },
    { type: 'tool_result', result: 'text' },
  ]);
  const cursor = { conversation_id: 's', generation_id: 'g', cursor_version: '2.4.0', model: 'm' };
  const { events, ignored } = readAll('auto', [
    { ...cursor, hook_event_name: 'beforeSubmitPrompt', prompt: 'Read it' },
    { ...cursor, ...call, tool_use_id: 't', hook_event_name: 'postToolUse', tool_output: 'text' },
    { ...cursor, ...call, tool_use_id: 'u', hook_event_name: 'postToolUseFailure', error_message: 'timeout' },
    { ...cursor, hook_event_name: 'stop', status: 'completed', loop_count: 0 },
  ]);
  expect(events).toMatchObject([
    { type: 'prompt_started', agent: 'cursor', sessionId: 's', text: 'Read it' },
    { type: 'tool_call_request', name: 'Read', args: { path: 'a' }, model: 'm' },
    { type: 'tool_result', callId: 't', result: 'text' },
    { type: 'tool_call_request', callId: 'u' },
    { type: 'tool_result', callId: 'u', result: 'timeout', isError: true },
  ]);
  expect(ignored).toEqual(['stop']);
});

it('hook input: recognizes Kimi Code by its client, Grok Build by its workspace, and Hermes by its events', () => {
  const kimi = { session_id: 's', cwd: '/w', client_type: 'kimi_code_cli' };
  const kimiCall = { ...kimi, tool_name: 'Read', tool_input: { path: 'a' }, tool_call_id: 't' };
  const error = { code: 'internal', message: '"a" does not exist.', retryable: false };
  const ofKimi = readAll('auto', [
    { ...kimi, hook_event_name: 'TurnStarted', turn_id: 0, origin_kind: 'user', prompt: 'Read a' },
    { ...kimi, hook_event_name: 'TurnStarted', turn_id: 0, origin_kind: 'system_trigger', prompt: 'Look' },
    { ...kimiCall, hook_event_name: 'PostToolUseFailure', error },
    { ...kimiCall, hook_event_name: 'PostToolUse', tool_output: '1\ta' },
  ]);
  expect(ofKimi.events).toMatchObject([
    { type: 'prompt_started', text: 'Read a', agent: 'kimi-code' },
    { type: 'tool_call_request', id: 'call:t', name: 'Read', args: { path: 'a' } },
    { type: 'tool_result', id: 'result:t', result: '"a" does not exist.', isError: true },
    { type: 'tool_call_request' },
    { type: 'tool_result', result: '1\ta', isError: undefined },
  ]);
  expect(ofKimi.ignored).toEqual(['TurnStarted']);

  const tool_response = { type: 'Bash', output: [97], output_for_prompt: 'exit: 0\na', timed_out: false };
  const grokCall = { tool_name: 'run_terminal_command', tool_input: { command: 'cat a' }, tool_use_id: 't' };
  const ofGrok = readAll('auto', [
    {
      ...grokCall,
      hookEventName: 'post_tool_use',
      hook_event_name: 'PostToolUse',
      sessionId: 's',
      session_id: 's',
      workspaceRoot: '/w',
      timestamp: '2026-11-29T14:57:42.471209145+00:00',
      permissionMode: 'default',
      tool_response,
    },
  ]);
  expect(ofGrok.events).toMatchObject([
    { type: 'tool_call_request', agent: 'grok', time: Date.parse('2026-11-29T14:57:42.471Z') },
    { type: 'tool_result', result: 'exit: 0\na' },
  ]);

  const extra = { tool_call_id: 't', status: 'error', result: '{"error": "no"}' };
  const record = { hook_event_name: 'post_tool_call', session_id: 's', tool_name: 'read_file', extra };
  expect(hookAgentOf(record)).toBe('hermes');
  expect(readHookInput({ ...record, tool_input: { path: 'a' } }, 'hermes').events).toMatchObject([
    { type: 'tool_call_request', id: 'call:t', agent: 'hermes', args: { path: 'a' } },
    { type: 'tool_result', result: '{"error": "no"}', isError: true },
  ]);
  const prompt = {
    hook_event_name: 'pre_llm_call',
    session_id: 's',
    extra: { user_message: 'Hi', model: 'm' },
  };
  expect(readHookInput(prompt, 'hermes').events).toMatchObject([
    { type: 'prompt_started', text: 'Hi', model: 'm' },
  ]);
});

it('hook input: keeps the arguments of a call, whatever they are', () => {
  const inputs = [{ path: 'a' }, 'text', ['a', 1], 5, null, undefined];
  const { events } = readAll(
    'claude-code',
    inputs.map((input, n) => ({ ...before(`t${String(n)}`), tool_input: input })),
  );
  const args = events.map((event) => (event.type === 'tool_call_request' ? event.args : event.type));
  expect(args).toEqual([{ path: 'a' }, 'text', '["a",1]', '5', {}, {}]);
});
