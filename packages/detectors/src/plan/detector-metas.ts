import { outageMeta } from '../detectors/outage/outage.ts';
import { semanticMeta } from '../detectors/semantic/semantic.ts';
import { stagnationMeta } from '../detectors/stagnation/stagnation.ts';
import { contentRepeatMeta, thoughtRepeatMeta } from '../detectors/text-repeat/text-repeat.ts';
import { toolCycleMeta } from '../detectors/tool-cycle/tool-cycle.ts';
import { toolLimitMeta } from '../detectors/tool-limit/tool-limit.ts';
import { toolRepeatMeta } from '../detectors/tool-repeat/tool-repeat.ts';
import { turnLimitMeta } from '../detectors/turn-limit/turn-limit.ts';
import type { DetectorMeta } from '../incident/finding.ts';

/** What there is to know about every detector, in the order of the registry; running them needs none of it. */
export const detectorMetas: readonly DetectorMeta[] = [
  toolRepeatMeta,
  outageMeta,
  toolCycleMeta,
  stagnationMeta,
  contentRepeatMeta,
  thoughtRepeatMeta,
  semanticMeta,
  toolLimitMeta,
  turnLimitMeta,
];
