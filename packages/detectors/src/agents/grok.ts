import type { AgentContractSettings } from '@loopwatch/contract';

const waits = { poller: true, volatile: ['timeout_ms'] };

/** Grok Build, xAI's `grok`, version 1. */
export const grok: AgentContractSettings = {
  names: ['grok-build'],
  tools: {
    run_terminal_command: { volatile: ['background'] },
    get_command_or_subagent_output: waits,
    wait_commands_or_subagents: waits,
    get_task_output: waits,
    spawn_subagent: { mutating: true, poller: false, volatile: ['description', 'background'] },
  },
  result_noise: [
    '<task-id>{word}</task-id>',
    '<output-file>{word}</output-file> <status>running</status>',
    'Background task {word} started',
    'full output at: {word}',
    'Waited the requested {word}',
  ],
  not_run: ['Hook denied: {text}'],
};
