import type { DetectorId } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { LateTextRepeat } from '../detectors/text-repeat/late-text-repeat.ts';
import { ToolLimit } from '../detectors/tool-limit/tool-limit.ts';
import { ToolRepeat } from '../detectors/tool-repeat/tool-repeat.ts';
import { TurnLimit } from '../detectors/turn-limit/turn-limit.ts';
import type { Detector } from '../incident/finding.ts';
import type { DetectionPlan } from './plan.ts';

/** One kind of loop that Loopwatch can find. */
export interface DetectorKind {
  readonly id: DetectorId;
  /**
   * A detector for one session, or `null` where the plan leaves this one out: then it costs nothing.
   *
   * @param layer the one that asks a model, where there is one
   */
  create(plan: DetectionPlan, layer: SemanticLayer | null): Detector | null;
}

/** Similar matching compares arguments, not results. */
function isSimilar({ tool, perTool }: DetectionPlan): boolean {
  return tool.similarity !== null || [...perTool.values()].some(({ similarity }) => similarity !== null);
}

/** Every detector, in the order in which they see an event and so in the order of their verdicts. */
export const detectorKinds: readonly DetectorKind[] = [
  {
    id: 'tool-repeat',
    create: (plan) => {
      const enabled = plan.tool.enabled || [...plan.perTool.values()].some((tool) => tool.enabled);
      if (!enabled) return null;
      return plan.rounds === null || isSimilar(plan)
        ? new ToolRepeat(plan)
        : plan.rounds.createToolRepeat(plan);
    },
  },
  {
    id: 'outage',
    create: ({ rounds }) => rounds && rounds.createOutage(),
  },
  {
    id: 'tool-cycle',
    create: ({ rounds }) => rounds && rounds.createToolCycle(),
  },
  {
    id: 'stagnation',
    create: ({ rounds }) => rounds && rounds.createStagnation(),
  },
  {
    id: 'content-repeat',
    create: (plan) => (plan.content === null ? null : new LateTextRepeat(plan.content)),
  },
  {
    id: 'thought-repeat',
    create: (plan) => (plan.thought === null ? null : new LateTextRepeat(plan.thought)),
  },
  {
    id: 'semantic',
    create: ({ semantic, privacy }, layer) => (semantic && layer ? layer.create(semantic, privacy) : null),
  },
  {
    id: 'tool-limit',
    create: ({ toolLimit }) => (toolLimit === null ? null : new ToolLimit(toolLimit)),
  },
  {
    id: 'turn-limit',
    create: ({ turnLimit }) => (turnLimit === null ? null : new TurnLimit(turnLimit)),
  },
];
