import { isOn } from '../../lib/is-on.ts';
import type { DetectorDefinition } from '../definition.ts';
import { ToolLimit, type ToolLimitOptions } from './tool-limit.ts';

export const toolLimit: DetectorDefinition<ToolLimitOptions> = {
  id: 'tool-limit',
  reads: ['prompt_started', 'turn_started', 'tool_call_request', 'tool_result', 'content', 'thought'],
  options: ({ settings: { tool_call_limit: own } }) => (isOn(own) ? { maxTurns: own.max_turns ?? 3 } : null),
  create: (options) => new ToolLimit(options),
};
