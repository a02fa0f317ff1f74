import type { AgentContractSettings } from '@loopwatch/contract';

/** Kimi Code, version 2; most of its tools are named like Claude Code's. */
export const kimiCode: AgentContractSettings = {
  names: ['kimi'],
  tools: {
    TaskList: { mutating: false, poller: true },
    TaskStop: { volatile: ['reason'] },
    WaitFor: { volatile: ['timeout'] },
    AgentSwarm: { mutating: true, poller: false, volatile: ['description'] },
  },
  result_noise: [
    'waited_ms: {number}',
    // What a command in the background is called.
    'pid: {number} description: {line} status: running',
  ],
  not_run: ['This turn was ended by the repeat breaker{text}'],
  harness_prompts: ['<notification id={text}'],
};
