import type { AgentContractSettings } from '@loopwatch/contract';

export const openclaw: AgentContractSettings = {
  tools: {
    exec: { volatile: ['yieldMs', 'background'] },
    process: { poller: true, volatile: ['timeout'] },
    sessions_spawn: { mutating: true, poller: false, volatile: ['label'] },
  },
  result_noise: ['Command still running (session {word}, pid {number})'],
  harness_prompts: ['[OpenClaw {word} completion]{text}', '[OpenClaw heartbeat poll]{text}'],
};
