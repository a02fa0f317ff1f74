import type { AgentContractSettings } from '@loopwatch/contract';

/** Agents that operate a browser: browser-use, and others with the same actions. */
export const browserUse: AgentContractSettings = {
  names: ['browseruse'],
  tools: {
    select_dropdown_option: { gui: true },
    go_to_url: { mutating: false },
  },
  result_noise: ['Current step: {number}/{number}', 'Current date and time: {line}'],
};
