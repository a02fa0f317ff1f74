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

it('ACP: reads the updates that Grok stores, with their times and the names of tools', () => {
  const stored = (at: number, sessionUpdate: string, more: object, method = 'session/update') => ({
    timestamp: 1_795_955_793,
    method,
    params: {
      sessionId: 's',
      update: { sessionUpdate, ...more },
      _meta: { eventId: `s-${String(at)}`, agentTimestampMs: 1_795_955_793_785 + at },
    },
  });
  const tool = {
    toolCallId: 'call_1',
    _meta: { 'x.ai/tool': { version: 1, name: 'read_file', kind: 'read', namespace: 'grok_build' } },
  };
  const { events, ignored } = readAll('acp', [
    stored(0, 'user_message_chunk', {
      content: { type: 'text', text: 'Read it' },
      _meta: { promptIndex: 0 },
    }),
    stored(1, 'tool_call', { ...tool, title: 'read_file', rawInput: { target_file: 'a' } }),
    stored(2, 'tool_call_update', {
      ...tool,
      kind: 'read',
      title: 'Read `a`',
      rawInput: { target_file: 'a' },
    }),
    stored(3, 'tool_call_update', {
      toolCallId: 'call_1',
      status: 'failed',
      rawOutput: { type: 'ReadFile', FileNotFound: 'Error: a does not exist.' },
    }),
    stored(4, 'agent_message_chunk', { content: { type: 'text', text: 'I give up.' } }),
    stored(5, 'turn_completed', { stop_reason: 'end_turn' }, '_x.ai/session/update'),
  ]);
  expect(events).toMatchObject([
    { type: 'prompt_started', text: 'Read it', time: 1_795_955_793_785 },
    { type: 'turn_started' },
    { type: 'tool_call_request', name: 'read_file', args: { target_file: 'a' }, agent: 'grok' },
    {
      type: 'tool_result',
      isError: true,
      time: 1_795_955_793_788,
      result: 'Error: a does not exist.',
    },
    { type: 'turn_finished' },
    { type: 'turn_started' },
    { type: 'content', text: 'I give up.' },
    { type: 'turn_finished' },
  ]);
  expect(ignored).toEqual(['_x.ai/session/update']);
});

it('ACP: waits for the arguments of a call that is announced with an empty object', () => {
  const { events } = readAll(
    'acp',
    ['a', 'b'].flatMap((path) => [
      update('tool_call', { toolCallId: path, title: 'Read', kind: 'read', status: 'pending', rawInput: {} }),
      update('tool_call_update', { toolCallId: path, rawInput: { path } }),
      update('tool_call_update', { toolCallId: path, status: 'completed', rawOutput: path }),
    ]),
  );
  const calls = events.filter(({ type }) => type === 'tool_call_request');
  expect(calls.map((call) => call['args'])).toEqual([{ path: 'a' }, { path: 'b' }]);
});

it('ACP: reports a call without arguments when it ends, or at the end of the file', () => {
  const announced = (id: string) =>
    update('tool_call', {
      toolCallId: id,
      title: 'List',
      kind: 'search',
      status: 'in_progress',
      rawInput: {},
    });
  const { events } = readAll('acp', [
    announced('a'),
    update('tool_call_update', { toolCallId: 'a', status: 'cancelled' }),
    announced('b'),
  ]);
  expect(events.filter(({ type }) => type.startsWith('tool_'))).toMatchObject([
    { type: 'tool_call_request', callId: 'a', args: {} },
    { type: 'tool_result', callId: 'a', result: 'cancelled', isError: true },
    { type: 'tool_call_request', callId: 'b', args: {} },
  ]);
});

it.each([
  ['a text', 'ls a', 'ls a'],
  ['a list', ['ls', 'a'], { input: ['ls', 'a'] }],
])('ACP: the input of a call may be %s', (_, rawInput, args) => {
  const { events } = readAll('acp', [
    update('tool_call', { toolCallId: 'c', title: 'Run', kind: 'execute', status: 'pending', rawInput }),
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call_request', args }));
});

it('ACP: a recorded connection may begin before the session', () => {
  const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 0, method, params });
  const { ignored, faults } = readAll('auto', [
    request('initialize', { protocolVersion: 1, clientCapabilities: {} }),
    request('authenticate', { methodId: 'login' }),
    request('fs/read_text_file', { sessionId: 's', path: '/a' }),
  ]);
  expect([ignored, faults]).toEqual([['initialize', 'authenticate', 'fs/read_text_file'], []]);
});
