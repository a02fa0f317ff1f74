import type { Detector, DetectorMeta } from './finding.ts';
import type { DetectionPlan } from './plan.ts';
import { contentRepeatMeta, TextRepeat, thoughtRepeatMeta } from './text-repeat.ts';
import { ToolRepeat, toolRepeatMeta } from './tool-repeat.ts';

/** One kind of loop that Loopwatch can find. */
export interface DetectorKind {
  readonly meta: DetectorMeta;
  /** A detector for one session, or `null` where the plan leaves this one out: then it costs nothing. */
  create(plan: DetectionPlan): Detector | null;
}

/** Every detector, in the order in which they see an event and so in the order of their verdicts. */
export const detectorKinds: readonly DetectorKind[] = [
  {
    meta: toolRepeatMeta,
    create: (plan) => {
      const enabled = plan.tool.enabled || [...plan.perTool.values()].some((tool) => tool.enabled);
      return enabled ? new ToolRepeat(plan) : null;
    },
  },
  {
    meta: contentRepeatMeta,
    create: (plan) => (plan.content === null ? null : new TextRepeat('content', plan.content)),
  },
  {
    meta: thoughtRepeatMeta,
    create: (plan) => (plan.thought === null ? null : new TextRepeat('thought', plan.thought)),
  },
];
