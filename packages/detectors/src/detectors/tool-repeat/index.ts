import type { DetectorDefinition } from '../definition.ts';
import type { ToolRepeatPlan } from './options.ts';
import { toolRepeatByCalls } from './repeat-by-calls.ts';
import { StepRepeat } from './step-repeat.ts';
import { ToolRepeat } from './tool-repeat.ts';

/**
 * One id, two rules. {@link StepRepeat} compares calls with their results: in preset `balanced`, and whenever a
 * detector that needs results is on. {@link ToolRepeat} compares calls alone: in all other presets, and for similar
 * matching, which compares arguments but not results.
 */
export const toolRepeat: DetectorDefinition<ToolRepeatPlan> = {
  ...toolRepeatByCalls,
  create: (plan, { knowledge }) =>
    knowledge === null || isSimilar(plan) ? new ToolRepeat(plan) : new StepRepeat(plan, knowledge),
};

function isSimilar({ tool, perTool }: ToolRepeatPlan): boolean {
  return tool.similarity !== null || [...perTool.values()].some(({ similarity }) => similarity !== null);
}
