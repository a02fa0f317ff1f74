import type { AgentContractSettings } from '@loopwatch/contract';

/** Applies to every agent. */
export const anyAgent: AgentContractSettings = {
  result_noise: ['[tokens remaining: {line}', 'toolu_{word}'],
  not_run: [
    'Cancelled',
    'Canceled',
    'Operation cancelled{line}',
    'Operation canceled{line}',
    'Tool call cancelled{line}',
    'Tool call canceled{line}',
    'Tool call interrupted{line}',
    'Cancelled by user{text}',
    'Canceled by user{text}',
    'Cancelled: {line}another tool call{text}',
    'Skipped because {text}',
    'Skipped due to {text}',
    'Aborted by user{text}',
    'Interrupted by user{text}',
    'Denied by user{text}',
    'Rejected by user{text}',
    'Not executed{text}',
    'Tool call was not executed{text}',
    'The tool call was not executed{text}',
    'Tool was not executed{text}',
    'Tool not executed{text}',
    'This tool call was skipped{text}',
    'Another tool call in this {line}failed{text}',
  ],
};
