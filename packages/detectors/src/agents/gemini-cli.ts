import type { AgentContractSettings } from '@loopwatch/contract';

/** Gemini CLI, and Qwen Code, which shares its tools. */
export const geminiCli: AgentContractSettings = {
  names: ['gemini', 'qwen-code', 'qwen'],
  tools: {
    run_shell_command: { volatile: ['is_background'] },
    read_background_output: { volatile: ['delay_ms', 'lines'] },
    list_background_processes: { poller: true },
    replace: { volatile: ['instruction'] },
    save_memory: { mutating: false },
    ask_user: { mutating: false },
    activate_skill: { mutating: false },
    skill: { mutating: false },
  },
  result_noise: [
    'Process Group PGID: {number}',
    'Process Group PGID: (none)',
    'Command moved to background (PID: {number})',
    'The full output has been saved to: {word}',
    'Background PIDs: {line}',
    'Error: (none)',
    'Stdout: (empty)',
    'Stderr: (empty)',
    'Signal: (none)',
    'Exit Code: 0',
  ],
  not_run: ['Tool execution cancelled{text}'],
  harness_prompts: ['System: Please continue{text}', 'System: Potential loop{text}'],
};
