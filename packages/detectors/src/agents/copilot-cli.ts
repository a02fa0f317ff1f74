import type { AgentContractSettings } from '@loopwatch/contract';

/** GitHub Copilot CLI. */
export const copilotCli: AgentContractSettings = {
  names: ['copilot', 'github-copilot', 'github-copilot-cli'],
  tools: {
    bash: { volatile: ['description', 'initial_wait', 'shellId', 'mode'] },
    read_bash: { poller: true, volatile: ['delay'] },
    view: { mutating: false },
    glob: { mutating: false },
    grep: { mutating: false },
    create: { mutating: true },
    edit: { mutating: true },
    report_intent: { mutating: false },
  },
  result_noise: ['shellId: {word}'],
};
