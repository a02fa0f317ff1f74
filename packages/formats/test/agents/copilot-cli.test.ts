import { expect, it } from 'vitest';
import { readAll } from '../read-all.ts';

const event = (type: string, data: object) => ({
  type,
  data,
  id: type,
  timestamp: '2026-11-29T12:27:43.683Z',
  parentId: null,
});

it.each([
  ['failed by its exit code', { success: true, shellExecution: { exitCode: 2 } }, true],
  ['succeeded', { success: true, shellExecution: { exitCode: 0 } }, undefined],
  ['is no command', { success: true }, undefined],
  ['did not run', { success: false, error: { message: 'Path does not exist' } }, true],
])('Copilot CLI: a call that %s', (_, outcome, isError) => {
  const { events } = readAll('copilot-cli', [
    event('tool.execution_complete', { toolCallId: 'call_2_1', result: { content: 'no' }, ...outcome }),
  ]);
  expect(events).toMatchObject([{ type: 'tool_result', callId: 'call_2_1', isError }]);
});
