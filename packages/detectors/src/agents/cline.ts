import type { AgentContractSettings } from '@loopwatch/contract';

const progress = ['task_progress'];

/** Cline, and Roo Code, which shares most of its tools. */
export const cline: AgentContractSettings = {
  names: ['roo', 'roo-code', 'kilo-code'],
  tools: {
    execute_command: { volatile: [...progress, 'requires_approval', 'timeout'] },
    read_file: { mutating: false, volatile: progress },
    list_files: { mutating: false, volatile: progress },
    search_files: { mutating: false, volatile: progress },
    list_code_definition_names: { mutating: false, volatile: progress },
    write_to_file: { mutating: true, volatile: progress },
    replace_in_file: { mutating: true, volatile: progress },
    apply_diff: { mutating: true, volatile: progress },
    insert_content: { mutating: true, volatile: progress },
    search_and_replace: { mutating: true, volatile: progress },
    browser_action: { gui: true, volatile: progress },
    use_mcp_tool: { volatile: progress },
    access_mcp_resource: { mutating: false, volatile: progress },
    update_todo_list: { mutating: false },
  },
  result_noise: ['<environment_details>{text}</environment_details>'],
  not_run: [
    'The user denied this operation.{text}',
    'Skipping tool {text}due to user rejecting a previous tool.{text}',
    'Tool [{word}] was not executed because {text}',
  ],
  harness_prompts: [
    '[ERROR] You did not use a tool in your previous response!{text}',
    '[TASK RESUMPTION]{text}',
    '<environment_details>{text}',
  ],
};
