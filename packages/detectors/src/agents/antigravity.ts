import type { AgentContractSettings } from '@loopwatch/contract';

const edits = { volatile: ['Instruction', 'Description', 'Complexity'] };

/** Antigravity CLI, and the editor whose tools it shares; each call also has what `toolAction` and `toolSummary` say. */
export const antigravity: AgentContractSettings = {
  names: ['agy'],
  tools: {
    run_command: { volatile: ['WaitMsBeforeAsync', 'SafeToAutoRun'] },
    command_status: { volatile: ['WaitDurationSeconds', 'OutputCharacterCount', 'OutputPriority'] },
    manage_task: { poller: true },
    replace_file_content: edits,
    multi_replace_file_content: edits,
    invoke_subagent: { mutating: true, poller: false },
  },
  result_noise: ['Background command ID: {word}'],
};
