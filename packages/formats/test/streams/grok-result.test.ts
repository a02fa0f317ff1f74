import { expect, it } from 'vitest';
import { grokResult } from '../../src/wire/grok-result.ts';

const bytes = (text: string) => [...new TextEncoder().encode(text)];

/** Results of version 1.0.41, and what the model reads. */
it.each<[tool: string, record: unknown, read: unknown]>([
  [
    'a command',
    {
      type: 'Bash',
      output: bytes('a.ts\n'),
      output_for_prompt: 'exit: 3\na.ts\n',
      exit_code: 3,
      timed_out: false,
      description: 'List',
      output_file: '/h/.grok/sessions/p/s/terminal/call_1.log',
    },
    'exit: 3\na.ts\n',
  ],
  [
    'a command in the background',
    { type: 'BackgroundTaskStarted', task_id: '01a2', status: 'running', summary: 'Task 01a2 started' },
    'Task 01a2 started',
  ],
  [
    'a task under way',
    { type: 'TaskOutput', Result: { status: 'running', output: 'one' } },
    { status: 'running', output: 'one' },
  ],
  [
    'a file',
    { type: 'ReadFile', FileContent: { content: '1→a', raw_output: 'a', offset: null, total_lines: 1 } },
    '1→a',
  ],
  [
    'a file that is missing',
    { type: 'ReadFile', FileNotFound: 'Error: a does not exist.' },
    'Error: a does not exist.',
  ],
  [
    'an edit',
    {
      type: 'SearchReplace',
      EditsApplied: { old_string: 'a', tool_output_for_prompt: 'a.ts has been updated.' },
    },
    'a.ts has been updated.',
  ],
  ['a search', { type: 'GrepSearch', stdout: bytes('Größe: 1'), stderr: [], exit_code: 0 }, 'Größe: 1'],
  ['a sub-agent', { type: 'SubagentCompleted', output: 'Done.', tool_calls: 2, duration_ms: 242 }, 'Done.'],
  ['a list of tasks', { type: 'SchedulerList', tasks: [] }, []],
  [
    'a failure',
    { error: 'tool_execution_failed', message: 'no' },
    { error: 'tool_execution_failed', message: 'no' },
  ],
  ['text of a tool over MCP', 'pong', 'pong'],
])('Grok Build: reads what %s told the model', (_, record, read) => {
  expect(grokResult(record)).toEqual(read);
});
