import { callDetectors, type Verdict } from '@loopwatch/contract';
import type { ToolRepeatOptions } from '../detectors/tool-repeat/options.ts';
import { blockMessage, filledText } from '../detectors/tool-repeat/wording.ts';
import { nouns } from '../incident/shown-calls.ts';
import type { DetectionPlan } from './plan.ts';

/**
 * The message to a user when a session is stopped because of a verdict.
 *
 * @param tool the name from the call, if a call is blocked; the verdict's may be shortened
 */
export function stopMessage(
  verdict: Pick<Verdict, 'detector' | 'kind' | 'count' | 'reason' | 'tool' | 'thresholdOrigin'>,
  plan: DetectionPlan,
  tool: string | undefined = verdict.tool?.name,
): string {
  const options = optionsOf(plan, tool);
  if (verdict.detector === 'tool-repeat' && tool !== undefined)
    return blockMessage({ tool, count: verdict.count, reason: verdict.reason }, options);
  const custom = customText(verdict, plan, tool);
  if (custom !== undefined) return custom;
  if (verdict.kind === 'limit') return limitMessage(verdict);
  return (
    `${nouns[verdict.kind]} detected: ${sentence(verdict.reason)} ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/** The same for a limit that is reached. A decision needs no other, so that its bundle has none of the others' words. */
export function limitMessage({
  detector,
  reason,
  thresholdOrigin,
}: Pick<Verdict, 'detector' | 'reason' | 'thresholdOrigin'>): string {
  // An exhausted budget stays exhausted, whatever the agent does next; the other limits are those of one prompt.
  const next =
    detector === 'budget'
      ? `Nothing more runs until ${thresholdOrigin?.setting ?? 'budget'} is raised.`
      : 'Send another message to continue, or raise the limit.';
  return `${sentence(reason)} ${next}`;
}

const END = 'Make no more tool calls: say what is done and what is left, and end your turn.';

/** What to tell a model whose turn ends. */
export function endMessage(reason: string): string {
  return `${sentence(reason)} ${END}`;
}

/**
 * What to tell a model instead of a denied call's result: a custom text for blocked calls, or {@link guidanceOf}. A chance
 * may have a text of its own.
 */
export function denialMessage(
  verdict: Pick<Verdict, 'detector' | 'kind' | 'action' | 'count' | 'reason' | 'guidance'>,
  plan: DetectionPlan,
  tool: string,
): string {
  const isWarning = verdict.action !== 'block' && optionsOf(plan, tool).warningText !== null;
  return (isWarning ? undefined : customText(verdict, plan, tool)) ?? guidanceOf(verdict);
}

/** The operator's text for blocked calls, which applies to all loops of calls. */
export function customText(
  { detector, count, reason }: Pick<Verdict, 'detector' | 'count' | 'reason'>,
  plan: DetectionPlan,
  tool = '',
): string | undefined {
  const { blockText } = optionsOf(plan, tool);
  return blockText !== null && callDetectors.has(detector)
    ? filledText(blockText, { tool, count, reason })
    : undefined;
}

function optionsOf(plan: DetectionPlan, tool = ''): ToolRepeatOptions {
  return plan.perTool.get(tool) ?? plan.tool;
}

function sentence(text: string): string {
  return `${text.replace(/(?<![.\s])[.\s]+$/, '')}.`;
}

/** Guidance for a model that gets another chance: the verdict's own, or a generic one. After a limit there is none. */
export function guidanceOf(verdict: Pick<Verdict, 'kind' | 'reason' | 'guidance'>): string {
  if (verdict.guidance !== undefined) return verdict.guidance;
  if (verdict.kind === 'limit')
    return `${sentence(verdict.reason)} No tool runs before the user's next message. ${END}`;
  return [
    sentence(verdict.reason),
    'Stop and think before the next step: if this failed or returned nothing new, try a different approach.',
    'Call a tool only if you need one; otherwise explain in text what you will do next.',
  ].join('\n');
}
