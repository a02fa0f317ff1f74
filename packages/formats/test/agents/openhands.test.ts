import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const event = (id: string, kind: string, more: object) => ({
  id,
  timestamp: '2026-04-02T15:25:41.706887',
  source: 'agent',
  kind,
  ...more,
});
const action = (id: string, summary: string) =>
  event(id, 'ActionEvent', {
    thought: [{ type: 'text', text: 'I look.' }],
    action: { command: 'ls', kind: 'TerminalAction', summary, security_risk: 'LOW' },
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { arguments: JSON.stringify({ command: 'ls', summary }) },
  });
const observation = (id: string, code: number) =>
  event(`${id}o`, 'ObservationEvent', {
    source: 'environment',
    tool_call_id: id,
    observation: { content: [{ type: 'text', text: 'no' }], is_error: false, exit_code: code },
  });

describe('OpenHands', () => {
  it('reads the events of its agent SDK, in the session of their folder', () => {
    const said = event('m', 'MessageEvent', {
      source: 'user',
      llm_message: { role: 'user', content: [{ type: 'text', text: 'look' }] },
    });
    const { events, ignored } = readAll(
      'openhands',
      [event('s', 'SystemPromptEvent', {}), said, action('1', 'a'), observation('1', 1), action('2', 'b')],
      'conversation',
    );
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'content I look.',
      'tool_call_request terminal',
      'tool_result no',
      'turn_finished',
      'turn_started',
      'content I look.',
      'tool_call_request terminal',
      'turn_finished',
    ]);
    expect(events[4]).toMatchObject({ sessionId: 'conversation', callId: '1', isError: true });
    expect(ignored).toEqual(['SystemPromptEvent']);
  });

  it('omits the comments of the model about a call', () => {
    const { events } = readAll('openhands', [action('1', 'a')]);
    expect(events.at(-2)).toMatchObject({ args: { command: 'ls' } });
    expect(Object.keys(events.at(-2)?.['args'] as object)).toEqual(['command']);
  });

  it('reads agent errors and rejected actions as results', () => {
    const { events } = readAll('openhands', [
      event('1', 'AgentErrorEvent', { tool_call_id: 'a', error: 'no such tool' }),
      event('2', 'UserRejectObservation', { tool_call_id: 'b', rejection_reason: 'Action rejected' }),
    ]);
    expect(events).toEqual([
      expect.objectContaining({ type: 'tool_result', callId: 'a', result: 'no such tool', isError: true }),
      expect.objectContaining({ type: 'tool_result', callId: 'b', result: 'Action rejected', isError: true }),
    ]);
  });

  it('reads events of older versions', () => {
    const older = { timestamp: '2025-04-02T15:25:41', source: 'agent' };
    const { events, ignored } = readAll('openhands', [
      { ...older, id: 1, source: 'user', action: 'message', args: { content: 'look' } },
      { ...older, id: 2, action: 'run', args: { command: 'ls', thought: 'I look.' } },
      { ...older, id: 3, observation: 'run', content: 'a', cause: 2, extras: { metadata: { exit_code: 0 } } },
      { ...older, id: 4, observation: 'agent_state_changed', content: '', extras: {} },
    ]);
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'content I look.',
      'tool_call_request run',
      'tool_result a',
      'turn_finished',
    ]);
    expect(events[4]).toMatchObject({ callId: '2', isError: false });
    expect(ignored).toEqual(['agent_state_changed']);
  });

  it('reads the feedback of a stop hook as a prompt of the program, whoever sends it', () => {
    const message = (source: string, text: string) =>
      event(text, 'MessageEvent', { source, llm_message: { content: [{ type: 'text', text }] } });
    const { events } = readAll(
      'openhands',
      [
        message('user', 'look'),
        message('user', '[Stop hook feedback] lint failed'),
        message('environment', 'The task is not finished.'),
      ],
      'conversation',
    );
    expect(events.map(({ type, origin }) => [type, origin])).toEqual([
      ['prompt_started', undefined],
      ['prompt_started', 'harness'],
      ['prompt_started', 'harness'],
    ]);
  });
});
