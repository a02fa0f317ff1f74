import type { DetectorMeta } from './finding.ts';
import { outageMeta } from './outage.ts';
import { semanticMeta } from './semantic/semantic.ts';
import { stagnationMeta } from './stagnation/stagnation.ts';
import { contentRepeatMeta, thoughtRepeatMeta } from './text-repeat.ts';
import { toolCycleMeta } from './tool-cycle.ts';
import { toolLimitMeta } from './tool-limit.ts';
import { toolRepeatMeta } from './tool-repeat.ts';
import { turnLimitMeta } from './turn-limit.ts';

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
