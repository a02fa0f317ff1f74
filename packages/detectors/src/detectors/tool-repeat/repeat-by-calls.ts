import type { DetectorDefinition } from '../definition.ts';
import type { ToolRepeatPlan } from './options.ts';
import { ToolRepeat } from './tool-repeat.ts';

/** tool-repeat without results. */
export const toolRepeatByCalls: DetectorDefinition<ToolRepeatPlan> = {
  id: 'tool-repeat',
  reads: ['tool_call_request', 'prompt_started'],
  options: ({ calls }) => {
    const enabled = calls.tool.enabled || [...calls.perTool.values()].some((tool) => tool.enabled);
    return enabled ? calls : null;
  },
  effective: (_, { calls: { tool } }) => ({
    enabled: tool.enabled,
    max_repeats: tool.threshold,
    ttl_seconds: tool.ttlMs === null ? null : tool.ttlMs / 1000,
    mode: tool.mode,
    similarity_threshold: tool.similarity?.threshold,
    'similarity.threshold': tool.similarity?.threshold,
    'similarity.algorithm': tool.similarity?.algorithm,
    'similarity.normalize_whitespace': tool.similarity?.normalizeWhitespace,
    'similarity.ignore_case': tool.similarity?.ignoreCase,
  }),
  create: (plan) => new ToolRepeat(plan),
};
