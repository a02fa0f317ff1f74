import type { AgentContractSettings } from '@loopwatch/contract';

/** Cline, and Roo Code, which shares most of its tools. */
export const cline: AgentContractSettings = {
  names: ['roo', 'roo-code', 'kilo-code'],
  tools: {
    execute_command: { volatile: ['requires_approval'] },
    browser_action: { gui: true },
    access_mcp_resource: { mutating: false },
  },
  not_run: [
    'Skipping tool {text}due to user rejecting{text}',
    'Tool [{word}] was not executed because {text}',
  ],
  harness_prompts: [
    '[ERROR] You did not use a tool{text}',
    '[TASK RESUMPTION]{text}',
    '<environment_details>{text}',
  ],
};
