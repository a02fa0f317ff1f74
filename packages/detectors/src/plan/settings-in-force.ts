import type { DetectionSettings } from '@loopwatch/contract';
import { planDetection } from './every-family.ts';
import type { DetectionPlan } from './plan.ts';

/**
 * What holds where the settings say nothing, by dotted path: taken from the plan that detection itself runs on.
 *
 * @returns of each key that a preset or another key decides; undefined where the layer is off
 */
export function settingsInForce(settings: DetectionSettings): ReadonlyMap<string, unknown> {
  const { tool, rounds, content, thought, toolLimit, turnLimit, semantic } = planDetection(settings, true);
  const { cycle = null, stagnation = null, outage = null } = rounds?.options ?? {};
  return new Map<string, unknown>([
    ['tool_call_loop.enabled', tool.enabled],
    ['tool_call_loop.max_repeats', tool.threshold],
    ['tool_call_loop.ttl_seconds', tool.ttlMs === null ? null : tool.ttlMs / 1000],
    ['tool_call_loop.mode', tool.mode],
    ['tool_call_loop.similarity_threshold', tool.similarity?.threshold],
    ['tool_call_loop.similarity.threshold', tool.similarity?.threshold],
    ['tool_call_loop.similarity.algorithm', tool.similarity?.algorithm],
    ['tool_call_loop.similarity.normalize_whitespace', tool.similarity?.normalizeWhitespace],
    ['tool_call_loop.similarity.ignore_case', tool.similarity?.ignoreCase],
    ...textValues('content_loop', content),
    ...textValues('thought_loop', thought),
    ['tool_cycle.enabled', cycle !== null],
    ['tool_cycle.max_period', cycle?.maxPeriod],
    ['tool_cycle.min_repeats', cycle?.threshold],
    ['tool_cycle.mode', cycle?.mode],
    ['stagnation.enabled', stagnation !== null],
    ['stagnation.same_error', stagnation?.sameError],
    ['stagnation.same_failure', stagnation?.sameFailure],
    ['stagnation.nothing_new', stagnation?.nothingNew],
    ['stagnation.mode', stagnation?.mode],
    ['outage.enabled', outage !== null],
    ['outage.min_failures', outage?.threshold],
    ['semantic.enabled', semantic !== null],
    ['semantic.mode', semantic?.mode],
    ['tool_call_limit.enabled', toolLimit !== null],
    ['tool_call_limit.max_turns', toolLimit?.maxTurns],
    ['turn_requests.enabled', turnLimit !== null],
    ['turn_requests.max_turn_requests', turnLimit?.maxRequests],
  ]);
}

function textValues(block: string, options: DetectionPlan['content']): [string, unknown][] {
  return [
    [`${block}.enabled`, options !== null],
    [`${block}.window`, options?.window],
    [`${block}.min_repeats`, options?.threshold],
    [`${block}.max_distance`, options?.maxDistance],
    [`${block}.mode`, options?.mode],
  ];
}
