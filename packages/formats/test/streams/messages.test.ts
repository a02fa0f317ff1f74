import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const user = { role: 'user', content: 'look' };
const args = '{"cmd":"ls"}';
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'sh', arguments: args } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'a' });
const turn = ['turn_started', 'tool_call_request sh', 'turn_finished', 'tool_result a'];
const outlineOf = (...records: object[]) => outline(readAll('messages', records).events);

describe('lists of messages', () => {
  it('give events for new messages only if a history is repeated', () => {
    const first = [user, call('1'), result('1')];
    expect(outlineOf({ messages: first }, { messages: [...first, call('2'), result('2')] })).toEqual([
      'prompt_started look',
      ...turn,
      ...turn,
    ]);
  });

  it('give a repeated history the same ids in another process', () => {
    const ids = () =>
      readAll('messages', [{ messages: [user, call('1'), result('1')] }]).events.map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(5);
  });

  it('can contain a Responses API message as several items', () => {
    const input = [
      user,
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', id: 'fc_1', call_id: '1', name: 'sh', arguments: args },
      { type: 'function_call_output', call_id: '1', output: 'a' },
      { type: 'custom_tool_call', call_id: '2', name: 'patch', input: 'x' },
    ];
    const { events } = readAll('messages', [{ input }]);
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request sh',
      'turn_finished',
      'tool_result a',
      'turn_started',
      'tool_call_request patch',
      'turn_finished',
    ]);
    expect(events[4]).toMatchObject({ callId: '1', args });
  });

  it.each([
    [
      'Anthropic',
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'sh', input: { cmd: 'ls' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'a' }] },
    ],
    [
      'parts',
      { role: 'assistant', parts: [{ type: 'tool_call', id: '1', name: 'sh', arguments: { cmd: 'ls' } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: '1', result: 'a' }] },
    ],
    [
      'LangChain',
      {
        id: ['langchain', 'AIMessage'],
        kwargs: { content: '', tool_calls: [{ id: '1', name: 'sh', args: {} }] },
      },
      { id: ['langchain', 'ToolMessage'], kwargs: { content: 'a', tool_call_id: '1' } },
    ],
    [
      'the legacy function call',
      { role: 'assistant', function_call: { name: 'sh', arguments: args } },
      { role: 'function', name: 'sh', content: 'a' },
    ],
  ])('are read in the form of %s', (_, answer, outcome) => {
    expect(outlineOf({ messages: [user, answer, outcome] })).toEqual(['prompt_started look', ...turn]);
  });

  it('belong to the session they name, or that of the file', () => {
    const sessions = [
      { session_id: 'a' },
      { conversation: { id: 'b' } },
      { metadata: { thread_id: 'c' } },
      {},
    ];
    const { events } = readAll(
      'messages',
      sessions.map((more) => ({ ...more, messages: [user] })),
    );
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c', 'file']);
  });
});
