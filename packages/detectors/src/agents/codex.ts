import type { AgentContractSettings } from '@loopwatch/contract';

const limits = ['yield_time_ms', 'max_output_tokens'];
const approval = ['with_escalated_permissions', 'sandbox_permissions', 'prefix_rule'];

/** OpenAI Codex CLI: tools and result envelopes as found in its rollout files. */
export const codex: AgentContractSettings = {
  names: ['codex-cli', 'openai-codex', 'codex-tui', 'codex-exec', 'codex_cli_rs'],
  tools: {
    exec_command: { volatile: [...limits, ...approval] },
    write_stdin: { poller: true, volatile: limits },
    shell: { volatile: [...limits, ...approval] },
    shell_command: { volatile: [...limits, ...approval] },
    local_shell: { volatile: [...limits, ...approval] },
    update_plan: { volatile: ['explanation'] },
  },
  result_noise: [
    'Chunk ID: {word}',
    'Wall time: {number} seconds',
    'Original token count: {number}',
    'Process running with session ID {number}',
  ],
  not_run: ['patch rejected by user{text}'],
  harness_prompts: ['<turn_aborted>{text}', '<environment_context>{text}'],
};
