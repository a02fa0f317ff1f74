import type { AgentContractSettings } from '@loopwatch/contract';

/** Gemini CLI, and Qwen Code, which shares its tools. */
export const geminiCli: AgentContractSettings = {
  names: ['gemini', 'qwen-code', 'qwen'],
  tools: {
    run_shell_command: { volatile: ['description'] },
    read_file: { mutating: false },
    read_many_files: { mutating: false },
    list_directory: { mutating: false },
    glob: { mutating: false },
    search_file_content: { mutating: false },
    grep_search: { mutating: false },
    web_fetch: { mutating: false },
    google_web_search: { mutating: false },
    replace: { mutating: true, volatile: ['instruction'] },
    write_file: { mutating: true },
    save_memory: { mutating: false },
    write_todos: { mutating: false },
  },
  result_noise: [
    'Process Group PGID: {line}',
    'Background PIDs: {line}',
    'Error: (none)',
    'Stdout: (empty)',
    'Stderr: (empty)',
    'Signal: (none)',
    'Exit Code: 0',
  ],
  not_run: [
    '[Operation Cancelled]{text}',
    'User did not allow tool call{text}',
    'Tool execution cancelled{text}',
  ],
  harness_prompts: ['System: Please continue{text}', 'System: Potential loop detected{text}'],
};
