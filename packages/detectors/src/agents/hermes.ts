import type { AgentContractSettings } from '@loopwatch/contract';

/** Hermes, the agent of Nous Research, version 0.19. */
export const hermes: AgentContractSettings = {
  tools: {
    terminal: { volatile: ['background', 'notify_on_complete'] },
    delegate_task: { mutating: true, poller: false },
    browser_snapshot: { mutating: false },
  },
  result_noise: [
    '[Tool loop warning: {line}',
    'this exact region {number} times',
    'this exact file region {number} times',
    'this exact search {number} times',
    ', "_warning": "You have {line}"',
    '"already_read": {number}',
    '"already_searched": {number}',
    '"tokens": {"input": {number}, "output": {number}}',
  ],
  harness_prompts: ['[IMPORTANT: Background process{text}'],
};
