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
