import { budget } from './budget/index.ts';
import type { DetectorDefinition } from './definition.ts';
import { outage } from './outage/index.ts';
import { semantic } from './semantic/index.ts';
import { stagnation } from './stagnation/index.ts';
import { textRepeat } from './text-repeat/index.ts';
import { toolCycle } from './tool-cycle/index.ts';
import { toolLimit } from './tool-limit/index.ts';
import { toolRepeat } from './tool-repeat/index.ts';
import { turnLimit } from './turn-limit/index.ts';

/**
 * All detectors, in the order in which they process an event, which is also the order of their verdicts. A session's
 * state is stored by index in this list, so add new detectors at the end.
 */
export const detectors: readonly DetectorDefinition[] = [
  toolRepeat,
  outage,
  toolCycle,
  stagnation,
  textRepeat('content'),
  textRepeat('thought'),
  semantic,
  toolLimit,
  turnLimit,
  budget,
];
