import type { AgentContractSettings } from '@loopwatch/contract';

export const opencode: AgentContractSettings = {
  names: ['open-code'],
  tools: {
    webfetch: { mutating: false, volatile: ['timeout'] },
    websearch: { mutating: false },
    codesearch: { mutating: false },
    multiedit: { mutating: true },
    task: { mutating: true, poller: false, volatile: ['description'] },
  },
  result_noise: ['task_id: {word}', '<task id="ses_{word}'],
  not_run: ['Tool execution aborted'],
  harness_prompts: ['Continue if you have next steps{text}'],
};
