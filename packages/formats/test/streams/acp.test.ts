import { expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const update = (sessionUpdate: string, more: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate, ...more } },
});

it('ACP: reports a call once its input is known, named by its kind, and its result when it ends', () => {
  const { events, ignored } = readAll('acp', [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'look' }] },
    },
    update('agent_message_chunk', { content: { type: 'text', text: 'I look.' } }),
    update('tool_call', { toolCallId: 'c', title: 'Reading a', kind: 'read', status: 'pending' }),
    update('tool_call_update', {
      toolCallId: 'c',
      title: 'Reading a.ts',
      rawInput: { path: 'a' },
      status: 'in_progress',
    }),
    update('tool_call_update', {
      toolCallId: 'c',
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'no' } }],
    }),
    update('plan', { entries: [] }),
    { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } },
  ]);
  expect(outline(events)).toEqual([
    'prompt_started look',
    'turn_started',
    'content I look.',
    'tool_call_request read',
    'tool_result no',
    'turn_finished',
  ]);
  expect(events[3]).toMatchObject({ sessionId: 's', callId: 'c', args: { path: 'a' } });
  expect(events[4]).toMatchObject({ isError: true });
  expect(ignored).toEqual(['plan', 'response']);
});
