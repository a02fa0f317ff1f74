import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { normalizeResult } from '../../src/results/normalize-result.ts';

/** What the agents' harnesses write around one and the same result, with an id, a time and a count of two runs. */
const envelopes: readonly (readonly [title: string, envelope: (id: string, n: number) => unknown])[] = [
  [
    'Claude Code, an agent in the background',
    (id, n) =>
      `Async agent launched successfully.\nagentId: a${id} (internal ID - do not mention to user. Use SendMessage with to: 'a${id}' to continue this agent.)\nThe agent is working in the background.\noutput_file: /tmp/claude-1000/-srv-shop/tasks/a${id}.output\nYou will be notified (${String(n)} ms).`,
  ],
  [
    'Claude Code, an agent’s answer',
    (id, n) => [
      { type: 'text', text: 'The log is empty.' },
      {
        type: 'text',
        text: `agentId: a${id} (for resuming to continue this agent's work if needed)\n<usage>total_tokens: ${String(n)}\ntool_uses: ${String(n % 40)}\nduration_ms: ${String(n * 3)}</usage>`,
      },
    ],
  ],
  [
    'OpenCode, an agent’s answer',
    (id) =>
      `<task id="ses_${id}" state="completed">\n<task_result>\nThe log is empty.\n</task_result>\n</task>`,
  ],
  ['any agent, how full the context is', (_, n) => `a\n<context_used>${String(n % 90)}%</context_used>`],
  [
    'Claude Code’s hooks, an agent',
    (id, n) => ({
      status: 'completed',
      agentId: `a${id}`,
      content: [{ type: 'text', text: 'The log is empty.' }],
      totalToolUseCount: n % 40,
      totalDurationMs: n,
      totalTokens: n * 2,
      usage: { input_tokens: n % 9, output_tokens: n, cache_creation: { ephemeral_5m_input_tokens: n } },
      toolStats: { readCount: n % 5, bashCount: n % 7 },
      prompt: 'Look at the log.',
    }),
  ],
  [
    'Claude Code’s hooks, a launched agent',
    (id) => ({
      isAsync: true,
      status: 'async_launched',
      agentId: `a${id}`,
      outputFile: `/home/a/tasks/a${id}.output`,
    }),
  ],
  [
    'Claude Code’s hooks, a search',
    (id, n) => ({
      query: 'a',
      results: [{ tool_use_id: `srvtoolu_${id}`, content: [{ title: 'A', url: 'https://a.example' }] }],
      durationSeconds: n / 100,
    }),
  ],
  [
    'Claude Code’s hooks, a command in the background',
    (id) => ({ stdout: '', stderr: '', interrupted: false, backgroundTaskId: id.replace(/\d/g, 'q') }),
  ],
  [
    'Claude Code’s hooks, a long output',
    (id) => ({
      stdout: 'a\na\na',
      persistedOutputPath: `/home/a/.claude/tool-results/${id.replace(/\d/g, 'q')}.txt`,
    }),
  ],
  [
    'Claude Code, a command in the background',
    (id) =>
      `Command running in background with ID: ${id.replace(/\d/g, 'q')}. Output is being written to: /tmp/claude-0/tasks/${id}.output. You will be notified when it completes.`,
  ],
  [
    'Claude Code, a long output',
    (id) =>
      `<persisted-output>\nOutput too large (61.3KB). Full output saved to: /home/a/.claude/projects/-a/tool-results/${id}.txt\n\nPreview (first 2KB):\nworker 1 took a job\n</persisted-output>`,
  ],
  [
    'Codex, as text',
    (id, n) =>
      `Chunk ID: ${id}\nWall time: ${String(n / 1000)} seconds\nProcess exited with code 1\nOriginal token count: ${String(n)}\nOutput:\nno such table`,
  ],
  [
    'Codex, as JSON in a list',
    (id, n) => [
      { type: 'input_text', text: `Script completed\nWall time ${String(n / 1000)} seconds\nOutput:\n` },
      {
        type: 'input_text',
        text: JSON.stringify({
          chunk_id: id,
          wall_time_seconds: n / 1000,
          exit_code: 1,
          original_token_count: n,
          output: '> migrate\n\nError: no such table',
        }),
      },
    ],
  ],
  [
    'opencode, a task',
    (id) =>
      `task_id: ses_${id}HtxvQVxx3Yw (for resuming to continue this task if needed)\n\n<task_result>\nThe log is empty.\n</task_result>`,
  ],
  ['Copilot CLI', (_, n) => `all good here\n<shellId: ${String(n)} completed with exit code 0>`],
  ['Copilot CLI, tokens', (_, n) => `all good here\n[tokens remaining: ${String(n)}]`],
  [
    'Gemini CLI',
    (_, n) =>
      `Command: make\nDirectory: (root)\nOutput: all good\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: ${String(n)}\nProcess Group PGID: ${String(n + 1)}`,
  ],
  [
    'Gemini CLI, as JSON',
    (_, n) => ({ output: `Output: all good\nProcess Group PGID: ${String(n)}`, exitCode: 0 }),
  ],
  [
    'Gemini CLI and Qwen Code, a long output',
    (id) =>
      `Tool output was too large and has been truncated.\nThe full output has been saved to: /home/a/.qwen/projects/a/run_shell_command_${id.replace(/\d/g, 'q')}.output\nTo read the complete output, use the read_file tool with the absolute file path above.\nTruncated part of the output:\nworker 1 took a job`,
  ],
  [
    'Gemini CLI, a command in the background',
    (_, n) => `Command moved to background (PID: ${String(n)}). Output hidden. Press Ctrl+B to view.`,
  ],
  [
    'OpenHands, a terminal of the SDK',
    (id, n) => ({
      content: [{ type: 'text', text: 'all good' }],
      is_error: false,
      exit_code: 0,
      metadata: {
        exit_code: 0,
        pid: n,
        hostname: 'srv',
        suffix: '\n[The command completed with exit code 0.]',
      },
      full_output_save_dir: `/workspace/conversations/${id.replace(/\d/g, 'q')}/observations`,
      kind: 'TerminalObservation',
    }),
  ],
  [
    'OpenHands, a task of another agent',
    (id) => ({
      task_id: `task_${id.replace(/\d/g, 'q')}`,
      subagent: 'reader',
      status: 'completed',
      content: 'The log is empty.',
    }),
  ],
  [
    'OpenHands',
    (_, n) => ({
      content: 'all good',
      metadata: { exit_code: 0, pid: n, working_dir: '/srv' },
      timestamp: n / 7,
    }),
  ],
];

describe('an envelope makes no difference', () => {
  const agents = agentKnowledge({});
  const form = (result: unknown) => normalizeResult(result, null, { name: 'call', said: '{}' }, agents).form;

  it.each(envelopes)('%s', (_, envelope) => {
    expect(form(envelope('f7bedc41ba5eb4', 11_378))).toBe(form(envelope('335e97e288feaf', 20_941)));
  });

  it('but what is in it does', () => {
    const search = (results: readonly string[]) => ({ query: 'a', results, durationSeconds: 7.9 });
    expect(form(search(['one page']))).not.toBe(form(search(['another page'])));
  });
});
