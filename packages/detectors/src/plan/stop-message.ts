import { callDetectors, type Verdict } from '@loopwatch/contract';
import { blockMessage } from '../detectors/tool-repeat/wording.ts';
import { nouns } from '../incident/shown-calls.ts';
import type { DetectionPlan } from './plan.ts';

/**
 * What a user is told when a session is stopped for whatever was found in it. A custom text stands for all loops of calls.
 *
 * @param tool the call's own name, where a call is stopped; that of the verdict may be shortened
 */
export function stopMessage(
  verdict: Pick<Verdict, 'detector' | 'kind' | 'count' | 'reason' | 'tool' | 'thresholdOrigin'>,
  plan: DetectionPlan,
  tool: string | undefined = verdict.tool?.name,
): string {
  const options = (tool === undefined ? undefined : plan.perTool.get(tool)) ?? plan.tool;
  if (verdict.detector === 'tool-repeat' && tool !== undefined)
    return blockMessage(tool, verdict.count, options);
  if (callDetectors.has(verdict.detector) && options.blockText !== null) return options.blockText;
  const reason = verdict.reason.replace(/(?<![.\s])[.\s]+$/, '');
  // What is used up stays so, however the agent goes on.
  if (verdict.detector === 'budget')
    return `${reason}. Nothing more runs until ${verdict.thresholdOrigin?.setting ?? 'budget'} is raised.`;
  return (
    `${nouns[verdict.kind]} detected: ${reason}. ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/** What a model is told in a chance: the verdict's own guidance, or a plain one where it has none. */
export function guidanceOf(verdict: Pick<Verdict, 'reason' | 'guidance'>): string {
  if (verdict.guidance !== undefined) return verdict.guidance;
  return [
    `${verdict.reason.replace(/(?<![.\s])[.\s]+$/, '')}.`,
    'Stop and think before the next step: if this failed, or brought nothing new, take another way.',
    'Call a tool only if the next step strictly needs one; otherwise explain in words what you will do next.',
  ].join('\n');
}
