import { type DetectionInput, type KnownEvent, shortName, type VerdictAction } from '@loopwatch/contract';
import { detectionDefinition, parseSettings } from '@loopwatch/contract/internal';
import { toolRepeatPlan } from '../detectors/tool-repeat/options.ts';
import { ToolRepeat } from '../detectors/tool-repeat/tool-repeat.ts';
import { blockMessage, toolGuidance } from '../detectors/tool-repeat/wording.ts';
import type { EventStep } from '../incident/finding.ts';
import { canonicalArguments } from '../lib/canonical-json.ts';
import { presets } from '../settings/presets.ts';
import { SessionTotals } from './session-account.ts';

/** The tracker's result for one call. */
export interface TrackedCall {
  /** Whether the call should be blocked. */
  readonly blocked: boolean;
  /** What to tell the user (blocked) or the model (warn, chance); `null` while nothing repeats. */
  readonly reason: string | null;
  /** Matching calls so far, including this one. */
  readonly count: number;
  readonly action: VerdictAction;
}

export interface ToolCallTracker {
  /**
   * Tracks a call that is about to be made.
   *
   * @param name only its first 1,024 bytes count
   * @param args an object, or a string of JSON
   * @param time epoch ms; default: now
   */
  track(name: string, args: unknown, time?: number): TrackedCall;
}

/**
 * Tracks the tool calls of one session inside an agent or a proxy, without events. By default (preset `similar`),
 * three similar calls within five minutes are blocked.
 *
 * @param config a `tool_call_loop` block as in the configuration file, or detection settings that hold one
 * @throws TypeError that names the key, if the configuration is invalid
 */
export function createToolCallTracker(
  config: DetectionInput | NonNullable<DetectionInput['tool_call_loop']> = {},
): ToolCallTracker {
  const whole = 'preset' in config || 'tool_call_loop' in config ? config : { tool_call_loop: config };
  const settings = parseSettings(detectionDefinition, { preset: 'similar', ...whole });
  const plan = toolRepeatPlan(settings, presets[settings.preset]);
  const detector = new ToolRepeat(plan);
  const totals = new SessionTotals();
  return {
    track(fullName, args, time = Date.now()) {
      const name = shortName(fullName);
      if (!settings.enabled) return { blocked: false, reason: null, count: 0, action: 'none' };
      const event = { type: 'tool_call_request', name } as KnownEvent;
      const mark = totals.mark(event, time, -1);
      totals.count(event);
      const step: EventStep = {
        event,
        time,
        contentOffset: 0,
        thoughtOffset: 0,
        cost: undefined,
        calls: null,
        mark: () => mark,
        emit: () => undefined,
        noteProgress: () => undefined,
        noteEnd: () => undefined,
        noteTurnRequest: () => undefined,
      };
      const { count, action } = detector.judge(step, name, args);
      const options = plan.perTool.get(name) ?? plan.tool;
      if (action === 'none') return { blocked: false, reason: null, count, action };
      const blocked = action === 'block';
      const facts = { tool: name, count, reason: `${name} was called ${String(count)} times` };
      const reason = blocked
        ? blockMessage(facts, options)
        : toolGuidance(facts, canonicalArguments(args), options);
      return { blocked, reason, count, action };
    },
  };
}
