import { expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

/** Steps as version 1.0 writes them, shortened. */
const step = (index: number, source: string, type: string, more: object = {}) => ({
  step_index: index,
  source,
  type,
  status: 'DONE',
  created_at: `2026-06-06T10:10:${String(10 + index)}Z`,
  ...more,
});
const times = 'Created At: 2026-06-06T10:11:01Z\nCompleted At: 2026-06-06T10:11:01Z\n';
const made = (index: number, ...names: readonly string[]) =>
  step(index, 'MODEL', 'PLANNER_RESPONSE', {
    tool_calls: names.map((name) => ({
      name,
      args: { CommandLine: 'ls', toolSummary: `Step ${String(index)}` },
    })),
  });

it('Antigravity CLI: reads what the user wrote, the calls of a step, and their results in order, without times', () => {
  const { events, ignored } = readAll(
    'auto',
    [
      step(0, 'USER_EXPLICIT', 'USER_INPUT', {
        content:
          '<USER_REQUEST>\nLook.\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nIt is late.\n</ADDITIONAL_METADATA>',
      }),
      step(1, 'SYSTEM', 'CONVERSATION_HISTORY'),
      step(2, 'MODEL', 'PLANNER_RESPONSE', {
        thinking: 'Two.',
        content: 'I look.',
        tool_calls: [
          { name: 'run_command', args: { CommandLine: 'ls' } },
          { name: 'view_file', args: { AbsolutePath: '/a' } },
        ],
        usage: { input_tokens: 100, output_tokens: 50, cached_content_token_count: 20 },
      }),
      step(3, 'MODEL', 'RUN_COMMAND', { status: 'RUNNING' }),
      step(4, 'MODEL', 'VIEW_FILE', { content: `${times}text of a` }),
      step(3, 'MODEL', 'RUN_COMMAND', {
        content: `${times}\n\t\t\t\tThe command failed with exit code: 1\n\t\t\t\tOutput:\nno`,
      }),
      step(5, 'SYSTEM', 'CHECKPOINT', { content: '{{ CHECKPOINT 0 }}' }),
      made(6, 'write_to_file'),
      step(7, 'SYSTEM', 'ERROR_MESSAGE', {
        error: 'invalid',
        content: `${times.slice(0, 33)}Error invalid tool call`,
      }),
      step(8, 'SYSTEM', 'ERROR_MESSAGE', { content: 'The model is overloaded' }),
      step(9, 'MODEL', 'PLANNER_RESPONSE', { content: 'Done.' }),
    ],
    'conversation',
  );
  expect(outline(events)).toEqual([
    'prompt_started Look.',
    'turn_started',
    'thought Two.',
    'content I look.',
    'tool_call_request run_command',
    'tool_call_request view_file',
    'turn_finished',
    'tool_result text of a',
    expect.stringMatching(/^tool_result \s*The command failed with exit code: 1/),
    'turn_started',
    'tool_call_request write_to_file',
    'turn_finished',
    'tool_result Error invalid tool call',
    'turn_started',
    'content Done.',
    'turn_finished',
  ]);
  const ids = events.map(({ callId }) => callId);
  expect([ids[7], ids[8], ids[12]]).toEqual([ids[5], ids[4], ids[10]]);
  expect(events.filter(({ isError }) => isError === true)).toHaveLength(2);
  expect(events[6]).toMatchObject({ usage: { inputTokens: 120, outputTokens: 50, cachedInputTokens: 20 } });
  expect(ignored).toEqual(['CONVERSATION_HISTORY', 'RUN_COMMAND', 'CHECKPOINT', 'ERROR_MESSAGE']);
});
