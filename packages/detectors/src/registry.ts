import type { Detector, DetectorMeta } from './finding.ts';
import { Outage, outageMeta } from './outage.ts';
import type { DetectionPlan } from './plan.ts';
import { RoundRepeat } from './round-repeat.ts';
import { Semantic, semanticMeta } from './semantic/semantic.ts';
import { Stagnation, stagnationMeta } from './stagnation.ts';
import { contentRepeatMeta, TextRepeat, thoughtRepeatMeta } from './text-repeat.ts';
import { ToolCycle, toolCycleMeta } from './tool-cycle.ts';
import { ToolLimit, toolLimitMeta } from './tool-limit.ts';
import { ToolRepeat, toolRepeatMeta } from './tool-repeat.ts';
import { TurnLimit, turnLimitMeta } from './turn-limit.ts';

/** One kind of loop that Loopwatch can find. */
export interface DetectorKind {
  readonly meta: DetectorMeta;
  /** A detector for one session, or `null` where the plan leaves this one out: then it costs nothing. */
  create(plan: DetectionPlan): Detector | null;
}

/** Similar matching compares arguments, not results. */
function isSimilar({ tool, perTool }: DetectionPlan): boolean {
  return tool.similarity !== null || [...perTool.values()].some(({ similarity }) => similarity !== null);
}

/** Every detector, in the order in which they see an event and so in the order of their verdicts. */
export const detectorKinds: readonly DetectorKind[] = [
  {
    meta: toolRepeatMeta,
    create: (plan) => {
      const enabled = plan.tool.enabled || [...plan.perTool.values()].some((tool) => tool.enabled);
      if (!enabled) return null;
      return plan.rounds === null || isSimilar(plan)
        ? new ToolRepeat(plan)
        : new RoundRepeat(plan, plan.rounds);
    },
  },
  {
    meta: outageMeta,
    create: ({ rounds }) => (rounds?.outage ? new Outage(rounds.outage) : null),
  },
  {
    meta: toolCycleMeta,
    create: ({ rounds }) => (rounds?.cycle ? new ToolCycle(rounds.cycle) : null),
  },
  {
    meta: stagnationMeta,
    create: ({ rounds }) => (rounds?.stagnation ? new Stagnation(rounds, rounds.stagnation) : null),
  },
  {
    meta: contentRepeatMeta,
    create: (plan) => (plan.content === null ? null : new TextRepeat('content', plan.content)),
  },
  {
    meta: thoughtRepeatMeta,
    create: (plan) => (plan.thought === null ? null : new TextRepeat('thought', plan.thought)),
  },
  {
    meta: semanticMeta,
    create: (plan) => (plan.semantic === null ? null : new Semantic(plan.semantic, plan.privacy)),
  },
  {
    meta: toolLimitMeta,
    create: ({ toolLimit }) => (toolLimit === null ? null : new ToolLimit(toolLimit)),
  },
  {
    meta: turnLimitMeta,
    create: ({ turnLimit }) => (turnLimit === null ? null : new TurnLimit(turnLimit)),
  },
];
