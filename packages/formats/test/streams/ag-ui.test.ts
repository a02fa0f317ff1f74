import { expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

it('AG-UI: a run is a prompt, and the outputs between its results are turns', () => {
  const { events, ignored } = readAll('ag-ui', [
    {
      type: 'RUN_STARTED',
      threadId: 't',
      runId: 'r',
      input: { messages: [{ role: 'user', content: 'look' }] },
    },
    { type: 'STEP_STARTED', stepName: 's' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'I look.' },
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', toolCallName: 'ls', delta: '{"p":' },
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', delta: '1}' },
    { type: 'TOOL_CALL_RESULT', toolCallId: 'c1', content: 'a' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'n', delta: 'Hm' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ]);
  expect(outline(events)).toEqual([
    'prompt_started look',
    'turn_started',
    'content I look.',
    'tool_call_request ls',
    'tool_result a',
    'turn_finished',
    'turn_started',
    'thought Hm',
    'turn_finished',
  ]);
  expect(events[3]).toMatchObject({ sessionId: 't', callId: 'c1', args: '{"p":1}' });
  expect(ignored).toEqual(['STEP_STARTED']);
});

const start = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const finish = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
const callsIn = (records: readonly object[]) =>
  readAll('ag-ui', records)
    .events.filter(({ type }) => type === 'tool_call_request')
    .map(({ callId, args }) => [callId, args]);

it.each([
  [
    'in chunks, of which only the first has an id',
    [
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'a', toolCallName: 'ls', delta: '{"p":' },
      { type: 'TOOL_CALL_CHUNK', delta: '1}' },
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'b', toolCallName: 'ls', delta: '{"p":2}' },
      finish,
    ],
  ],
  [
    'without an end',
    [
      { type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'ls' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{"p":1}' },
      { type: 'TOOL_CALL_START', toolCallId: 'b', toolCallName: 'ls' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'b', delta: '{"p":2}' },
    ],
  ],
])('AG-UI: reads calls %s, and without results', (_, records) => {
  expect(callsIn([start, ...records])).toEqual([
    ['a', '{"p":1}'],
    ['b', '{"p":2}'],
  ]);
});

it('AG-UI: reads the calls that only snapshots have, each once', () => {
  const snapshot = (...ids: string[]) => ({
    type: 'MESSAGES_SNAPSHOT',
    messages: [
      { id: 'u', role: 'user', content: 'look' },
      ...ids.flatMap((id) => [
        {
          id: `m${id}`,
          role: 'assistant',
          toolCalls: [{ id, type: 'function', function: { name: 'ls', arguments: '{"p":1}' } }],
        },
        { id: `t${id}`, role: 'tool', toolCallId: id, content: 'none' },
      ]),
    ],
  });
  const streamed = { type: 'TOOL_CALL_CHUNK', toolCallId: 'a', toolCallName: 'ls', delta: '{"p":1}' };
  const result = { type: 'TOOL_CALL_RESULT', toolCallId: 'a', content: 'none' };
  const records = [start, streamed, result, snapshot('a', 'b'), snapshot('a', 'b', 'c'), finish];
  expect(callsIn(records).map(([id]) => id)).toEqual(['a', 'b', 'c']);
  const { events } = readAll('ag-ui', records);
  expect(events.filter(({ type }) => type === 'tool_result').map(({ callId }) => callId)).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('AG-UI: the pieces of a call belong to the run that it began in, also if another run begins and ends meanwhile', () => {
  const other = { ...start, threadId: 'u', runId: 'q' };
  const piece = (type: string, toolCallId: string, more: object) => ({ type, toolCallId, ...more });
  const { events } = readAll('ag-ui', [
    start,
    piece('TOOL_CALL_START', 'a', { toolCallName: 'ls', parentMessageId: 'm' }),
    piece('TOOL_CALL_ARGS', 'a', { delta: '{"p":' }),
    other,
    piece('TOOL_CALL_START', 'b', { toolCallName: 'cat' }),
    piece('TOOL_CALL_ARGS', 'b', { delta: '{"q":2}' }),
    piece('TOOL_CALL_ARGS', 'a', { delta: '1}' }),
    piece('TOOL_CALL_END', 'a', {}),
    piece('TOOL_CALL_RESULT', 'a', { messageId: 'n', content: 'one' }),
    { ...other, type: 'RUN_FINISHED' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'o', delta: 'I have looked.' },
    finish,
  ]);
  const of = (thread: string) => outline(events.filter(({ sessionId }) => sessionId === thread));
  expect(of('t')).toEqual([
    'prompt_started',
    'turn_started',
    'tool_call_request ls',
    'tool_result one',
    'turn_finished',
    'turn_started',
    'content I have looked.',
    'turn_finished',
  ]);
  expect(of('u')).toEqual(['prompt_started', 'turn_started', 'tool_call_request cat', 'turn_finished']);
  expect(events.find(({ name }) => name === 'ls')).toMatchObject({ args: '{"p":1}' });
});

const asked = { role: 'user', content: 'look' };
const requested = (id: string) => ({
  role: 'assistant',
  toolCalls: [{ id, type: 'function', function: { name: 'ls', arguments: '{}' } }],
});
const answered = (id: string) => ({ role: 'tool', toolCallId: id, content: 'none' });
const run = (id: string, ...messages: object[]) => [
  messages.length === 0 ? start : { ...start, input: { messages } },
  { type: 'TOOL_CALL_CHUNK', toolCallId: id, toolCallName: 'ls', delta: '{}' },
  finish,
];
const saysIt = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'There is none.' };

it.each([
  [
    'with the result of a tool of the frontend',
    [...run('a', asked), ...run('b', asked, requested('a'), answered('a'))],
    ['prompt_started look', 'tool_call_request ls', 'tool_result none', 'tool_call_request ls'],
  ],
  [
    'after calls, without messages',
    [...run('a'), ...run('b')],
    ['prompt_started', 'tool_call_request ls', 'tool_call_request ls'],
  ],
])('AG-UI: a run is no prompt %s', (_, records, expected) => {
  const { events } = readAll('ag-ui', records);
  expect(outline(events.filter(({ type }) => !type.startsWith('turn_')))).toEqual(expected);
});

it.each([
  ['with a new message', [...run('a', asked), ...run('b', asked, requested('a'), answered('a'), asked)]],
  ['after an answer', [...run('a').slice(0, -1), saysIt, finish, ...run('b')]],
])('AG-UI: a run is a prompt %s', (_, records) => {
  const { events } = readAll('ag-ui', records);
  expect(events.filter(({ type }) => type === 'prompt_started')).toHaveLength(2);
});
