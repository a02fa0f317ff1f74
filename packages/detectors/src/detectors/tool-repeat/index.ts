import type { DetectorDefinition } from '../definition.ts';
import { callsAlone } from './calls-alone.ts';
import type { ToolRepeatPlan } from './options.ts';
import { RoundRepeat } from './round-repeat.ts';
import { ToolRepeat } from './tool-repeat.ts';

/**
 * One id, two rules. {@link RoundRepeat} looks at calls with their results: in preset `balanced`, and wherever a detector that
 * needs results is switched on. {@link ToolRepeat} looks at calls alone: in all other presets, and for similar matching,
 * which compares arguments and not results.
 */
export const toolRepeat: DetectorDefinition<ToolRepeatPlan> = {
  ...callsAlone,
  create: (plan, { knowledge }) =>
    knowledge === null || isSimilar(plan) ? new ToolRepeat(plan) : new RoundRepeat(plan, knowledge),
};

function isSimilar({ tool, perTool }: ToolRepeatPlan): boolean {
  return tool.similarity !== null || [...perTool.values()].some(({ similarity }) => similarity !== null);
}
