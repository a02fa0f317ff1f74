import type { DetectorDefinition } from '../definition.ts';
import type { ToolRepeatPlan } from './options.ts';
import { StepRepeat } from './step-repeat.ts';
import { ToolRepeat } from './tool-repeat.ts';

/**
 * One id, two rules. {@link StepRepeat} compares calls with their results: in preset `balanced`, and whenever a
 * detector that needs results is on. {@link ToolRepeat} compares calls alone: in all other presets, and for similar
 * matching, which compares arguments but not results.
 */
export const toolRepeat: DetectorDefinition<ToolRepeatPlan> = {
  id: 'tool-repeat',
  reads: ['tool_call_request', 'prompt_started'],
  options: ({ calls }) => {
    const enabled = calls.tool.enabled || [...calls.perTool.values()].some((tool) => tool.enabled);
    return enabled ? calls : null;
  },
  create: (plan, { knowledge, comparesResults }) =>
    comparesResults && !isSimilar(plan) ? new StepRepeat(plan, knowledge) : new ToolRepeat(plan),
};

function isSimilar({ tool, perTool }: ToolRepeatPlan): boolean {
  return tool.similarity !== null || [...perTool.values()].some(({ similarity }) => similarity !== null);
}
