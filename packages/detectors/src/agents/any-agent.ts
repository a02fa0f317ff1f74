import type { AgentContractSettings } from '@loopwatch/contract';

/** Around what a harness tells the model beside a result. */
const TAGS = [
  'system_warning',
  'system-warning',
  'system_reminder',
  'system-reminder',
  'reminder',
  'token_budget',
  'budget:token_budget',
  'context_used',
  'context_usage',
  'token_usage',
  'environment_details',
  'environment_context',
];

/** Applies to every agent. */
export const anyAgent: AgentContractSettings = {
  result_noise: [
    '[tokens remaining: {line}',
    'toolu_{word}',
    ...TAGS.map((tag) => `<${tag}>{text}</${tag}>`),
  ],
  harness_prompts: [
    'Stop hook blocked{text}',
    'Stop hook feedback{text}',
    'Here is a summary of the conversation to date{text}',
    'You are in the middle of a conversation{text}',
  ],
  not_run: ['Cancelled: {line}another tool call{text}', 'Another tool call in this {line}failed{text}'],
};
