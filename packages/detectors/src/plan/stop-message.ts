import { callDetectors, type Verdict } from '@loopwatch/contract';
import { blockMessage } from '../detectors/tool-repeat/wording.ts';
import { nouns } from '../incident/shown-calls.ts';
import type { DetectionPlan } from './plan.ts';

/**
 * The message to a user when a session is stopped because of a verdict. A custom text applies to all loops of calls.
 *
 * @param tool the name from the call, if a call is blocked; the verdict's may be shortened
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
  // An exhausted budget stays exhausted, whatever the agent does next.
  if (verdict.detector === 'budget')
    return `${reason}. Nothing more runs until ${verdict.thresholdOrigin?.setting ?? 'budget'} is raised.`;
  return (
    `${nouns[verdict.kind]} detected: ${reason}. ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/** Guidance for a model that gets another chance: the verdict's own, or a generic one. */
export function guidanceOf(verdict: Pick<Verdict, 'reason' | 'guidance'>): string {
  if (verdict.guidance !== undefined) return verdict.guidance;
  return [
    `${verdict.reason.replace(/(?<![.\s])[.\s]+$/, '')}.`,
    'Stop and think before the next step: if this failed or returned nothing new, try a different approach.',
    'Call a tool only if you need one; otherwise explain in text what you will do next.',
  ].join('\n');
}
