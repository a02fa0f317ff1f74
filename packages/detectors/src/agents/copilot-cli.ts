import type { AgentContractSettings } from '@loopwatch/contract';

/** GitHub Copilot CLI. */
export const copilotCli: AgentContractSettings = {
  names: ['copilot', 'github-copilot', 'github-copilot-cli'],
  tools: {
    bash: { volatile: ['initial_wait', 'shellId', 'mode'] },
    read_bash: { poller: true, volatile: ['delay'] },
  },
  result_noise: ['shellId: {word}'],
};
