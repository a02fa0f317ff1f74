import type { AgentContractSettings } from '@loopwatch/contract';

export const miniSweAgent: AgentContractSettings = {
  names: ['mini', 'mini-swe', 'swe-agent'],
  result_noise: ['<returncode>0</returncode>', '<output>', '</output>'],
  harness_prompts: [
    'Please always provide EXACTLY ONE action{text}',
    'Format error:{text}',
    'No tool calls found in {text}',
  ],
};
