import type { AgentContractSettings } from '@loopwatch/contract';

/** The model writes these with every call to explain the call. */
const comments = ['summary', 'thought'];

/** OpenHands and its agent SDK. */
export const openhands: AgentContractSettings = {
  names: ['open-hands', 'openhands-sdk', 'opendevin'],
  tools: {
    execute_ipython_cell: { volatile: comments },
    str_replace_editor: { volatile: comments },
    file_editor: { volatile: comments },
    task_tracker: { volatile: comments },
    planning_file_editor: { volatile: comments },
    think: { volatile: ['summary'] },
    delegate: { mutating: true, volatile: comments },
    task: { mutating: true, volatile: [...comments, 'description'] },
    invoke_skill: { mutating: false, volatile: comments },
    browser_list_tabs: { volatile: comments },
    browser_navigate: { mutating: false },
    browser_get_state: { volatile: comments },
    browser_get_content: { volatile: comments },
  },
  result_noise: [
    '[Current working directory: {line}',
    '[Python interpreter: {line}',
    '"full_output_save_dir":"{word}"',
    '"task_id":"task_{word}"',
    '"conversation_id":"{word}"',
  ],
  not_run: ['Action rejected{text}', 'Action has been rejected{text}'],
  harness_prompts: ['Please continue working on the task on whatever approach{text}', '[SYSTEM: {text}'],
};
