import type { AgentEvent } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { type ShortStep, said, turns } from '../steps.ts';

type NthStep = (n: number) => ShortStep;

/** What the model words differently each time. */
const words = (n: number) => ['Look', 'List it', 'See what is there', 'Once more', 'Go on'][n % 5]!;

function verdicts(agent: string, count: number, step: NthStep): string[] {
  const steps = Array.from({ length: count }, (_, n) => step(n));
  return said(turns(...steps).map((event): AgentEvent => ({ ...event, agent })));
}

const kimiTask = (n: number, output: string) =>
  `Wall time: ${String(n)}.255 seconds\nretrieval_status: not_ready\ntask_id: bash-8e82cty4\ndescription: count\nstatus: running\n` +
  `timeout_ms: 600000\nkind: process\ncommand: make\npid: 31519\noutput_size_bytes: ${String(output.length)}\n\n[output]\n${output}`;
const kimiWait = (n: number) =>
  `wait_status: timed_out\ntask_id: bash-8e82cty4\nwaited_ms: ${String(1002 + n)}\ntimeout_ms: 1000\nThe wait ended before the task ` +
  `finished. Call WaitFor again to keep waiting.\n\n[still_running]\nWall time: ${String(n)}.3 seconds\nstatus: running`;
const grokTask = (n: number, output: string) =>
  `=== Task 01a227d1-ac3b-7c32-bda0-06762dc67661 ===\nCommand: make\nStatus: running\nDuration: ${String(n)}.04s\nOutput File: ` +
  `/h/terminal/call_1.log\n\n=== Output ===\n${output}\n\nWaited the requested ${String(800 + n)}ms. It is still working.`;
const hermesPoll = (n: number, output: string) =>
  `{"session_id": "proc_d30908cbac1e", "status": "running", "pid": 32216, "uptime_seconds": ${String(n)}, "output_preview": "${output}"}`;

/** Steps with the names, arguments and results of the agents' tools. */
it.each<[agent: string, loop: string, step: NthStep]>([
  [
    'kimi-code',
    'a command with another description each time',
    (n) => [
      'Bash',
      `Wall time: 0.${String(n)}05 seconds\nno rule`,
      { command: 'make x', description: words(n), timeout: n },
    ],
  ],
  [
    'kimi-code',
    'a command that is started in the background',
    (n) => [
      'Bash',
      `Wall time: 0.012 seconds\ntask_id: bash-8e82cty${String(n)}\npid: ${String(31519 + n * 7)}\ndescription: ${words(n)}\nstatus: running`,
      { command: 'make', run_in_background: true, description: words(n) },
    ],
  ],
  [
    'kimi-code',
    'a list of todos that stays the same',
    () => ['TodoList', 'Todo list updated.\n  [pending] a', { todos: [{ title: 'a', status: 'pending' }] }],
  ],
  [
    'kimi-code',
    'a sub-agent with one task',
    (n) => [
      'Agent',
      `agent_id: agent-${String(n)}\nstatus: completed\n\n[summary]\nThe log is empty.`,
      { prompt: 'Look', description: words(n) },
    ],
  ],
  [
    'grok',
    'a command with another description each time',
    (n) => [
      'run_terminal_command',
      'exit: 2\nno rule',
      { command: 'make x', description: words(n), timeout: n },
    ],
  ],
  [
    'grok',
    'a command that is started in the background',
    (n) => [
      'run_terminal_command',
      `<task-id>01a227d1-ac3b-7c32-bda0-06762dc6766${String(n)}</task-id>\n<task-type>bash</task-type>\n<output-file>/h/call_${String(n)}x.log` +
        `</output-file>\n<status>running</status>\n<summary>Background task 01a227d1-ac3b-7c32-bda0-06762dc6766${String(n)} started</summary>`,
      { command: 'make', background: true, description: words(n) },
    ],
  ],
  [
    'grok',
    'a command with a long output',
    (n) => [
      'run_terminal_command',
      `exit: 0 [truncated: showing first/last 19.6 KB of 164.9 KB - full output at: /h/terminal/call_${String(n)}q.log]\n1\n2\n3`,
      { command: 'seq 1 30000' },
    ],
  ],
  [
    'grok',
    'a sub-agent with one task',
    (n) => ['spawn_subagent', 'The log is empty.', { prompt: 'Look', description: words(n) }],
  ],
  [
    'grok',
    'a list of todos that stays the same',
    () => ['todo_write', '- [pending] 1: a', { merge: false, todos: [{ id: '1', content: 'a' }] }],
  ],
  [
    'hermes',
    'a file that it does not read again, with what it counts',
    (n) => [
      'read_file',
      `{"error": "BLOCKED: You have called read_file on this exact region ${String(n + 3)} times and the file has NOT changed.", "path": "a", ` +
        `"already_read": ${String(n + 3)}}\n\n[Tool loop warning: repeated_exact_failure_warning; count=${String(n)}; read_file has failed.]`,
      { path: 'a' },
    ],
  ],
  [
    'hermes',
    'a file that is missing, with its warning',
    (n) => [
      'read_file',
      `{"content": "", "total_lines": 0, "error": "File not found: a", "similar_files": []${
        n > 1
          ? `, "_warning": "You have read this exact file region ${String(n + 1)} times consecutively. Use the information you already have."`
          : ''
      }}`,
      { path: 'a' },
    ],
  ],
  [
    'hermes',
    'a sub-agent with one task',
    (n) => [
      'delegate_task',
      `{"results": [{"task_index": 0, "summary": "The log is empty.", "duration_seconds": ${String(n)}.5, "tokens": {"input": ${String(n * 91)}, "output": ${String(n * 7)}}}]}`,
      { goal: 'Look' },
    ],
  ],
  [
    'hermes',
    'a command with another timeout each time',
    (n) => ['terminal', '{"output": "no rule", "exit_code": 2}', { command: 'make x', timeout: n + 1 }],
  ],
  [
    'openclaw',
    'a command with other waits each time',
    (n) => [
      'exec',
      'all the same',
      { command: 'ls x', yieldMs: n, timeoutSeconds: n, background: n % 2 === 0 },
    ],
  ],
  [
    'openclaw',
    'a command that is started in the background',
    (n) => [
      'exec',
      `Command still running (session ${['calm-bird', 'old-fox', 'red-ant', 'big-owl', 'shy-cat'][n % 5]!}, pid ${String(n * 97 + 412)}). Use process for follow-up.`,
      { command: 'make', background: true },
    ],
  ],
  [
    'antigravity',
    'a command with other waits and descriptions each time',
    (n) => [
      'run_command',
      'The command completed successfully.\nOutput:\nall the same',
      { CommandLine: 'ls x', WaitMsBeforeAsync: 500 + n, SafeToAutoRun: n % 2 === 0, toolAction: words(n) },
    ],
  ],
  [
    'antigravity',
    'an edit with another description each time',
    (n) => [
      'replace_file_content',
      'target content not found in file',
      {
        TargetFile: '/a',
        TargetContent: 'q',
        ReplacementContent: 'r',
        Instruction: words(n),
        Description: words(n),
      },
    ],
  ],
])('tool-repeat: finds in %s: %s', (agent, _, step) => {
  expect(verdicts(agent, 5, step)[0]).toMatch(/^tool-repeat opened chance [34]$/);
});

it.each<[agent: string, work: string, step: NthStep]>([
  [
    'kimi-code',
    'looks at a task that says more',
    (n) => ['TaskOutput', kimiTask(n, 'a\n'.repeat(n)), { task_id: 'bash-8e82cty4' }],
  ],
  ['kimi-code', 'looks at a task', (n) => ['TaskOutput', kimiTask(n, 'a'), { task_id: 'bash-8e82cty4' }]],
  [
    'kimi-code',
    'waits for a task',
    (n) => ['WaitFor', kimiWait(n), { task_id: 'bash-8e82cty4', timeout: n + 1 }],
  ],
  [
    'kimi-code',
    'lists its tasks',
    (n) => ['TaskList', `active_background_tasks: 1\nWall time: ${String(n)}.2 seconds\nstatus: running`, {}],
  ],
  [
    'kimi-code',
    'moves on in its todos',
    (n) => ['TodoList', 'Todo list updated.', { todos: [{ title: 'a', status: words(n) }] }],
  ],
  [
    'grok',
    'waits for a task',
    (n) => ['get_command_or_subagent_output', grokTask(n, 'a'), { task_ids: ['01a2'], timeout_ms: 1000 + n }],
  ],
  [
    'grok',
    'looks at a task that says more',
    (n) => ['get_command_or_subagent_output', grokTask(n, 'a\n'.repeat(n)), { task_ids: ['01a2'] }],
  ],
  [
    'grok',
    'moves on in its todos',
    (n) => ['todo_write', '- ok', { merge: true, todos: [{ id: '1', content: words(n) }] }],
  ],
  [
    'hermes',
    'looks at a process',
    (n) => ['process', hermesPoll(n, 'a'), { action: 'poll', session_id: 'proc_d30908cbac1e' }],
  ],
  [
    'openclaw',
    'waits for a process',
    () => [
      'process',
      '(no new output)\n\nProcess still running.',
      { action: 'poll', sessionId: 'calm-bird', timeout: 1000 },
    ],
  ],
  [
    'openclaw',
    'looks at the log of a process',
    () => ['process', 'listening on 3000', { action: 'log', sessionId: 'calm-bird' }],
  ],
  [
    'antigravity',
    'waits for a command',
    (n) => ['command_status', 'Status: RUNNING\nOutput:\na', { CommandId: 'e9', WaitDurationSeconds: n }],
  ],
  [
    'antigravity',
    'looks at a task',
    (n) => [
      'manage_task',
      'Task: e9/task-12\nStatus: RUNNING\na',
      { Action: 'status', TaskId: 'e9/task-12', toolAction: words(n) },
    ],
  ],
])('tool-repeat: stays quiet while %s %s', (agent, _, step) => {
  expect(verdicts(agent, 6, step)).toEqual([]);
});

it.each<[agent: string, step: NthStep]>([
  ['kimi-code', (n) => ['WaitFor', kimiWait(n), { task_id: 'bash-8e82cty4', timeout: n + 1 }]],
  [
    'grok',
    (n) => ['get_command_or_subagent_output', grokTask(n, 'a'), { task_ids: ['01a2'], timeout_ms: 1000 + n }],
  ],
  [
    'antigravity',
    (n) => ['command_status', 'Status: RUNNING\nOutput:\na', { CommandId: 'e9', WaitDurationSeconds: n }],
  ],
])('tool-repeat: finds that %s waits for nothing new, whatever the timeouts', (agent, step) => {
  expect(verdicts(agent, 12, step)[0]).toBe('tool-repeat opened chance 9');
});
