import { createSessionAnalyzer } from '@loopwatch/detectors';
import { expect, it } from 'vitest';
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
