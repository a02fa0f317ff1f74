import type { DetectorId } from '@loopwatch/contract';

const known = {
  'tool-repeat': true,
  'tool-cycle': true,
  stagnation: true,
  'content-repeat': true,
  'thought-repeat': true,
  semantic: true,
  'tool-limit': true,
  'turn-limit': true,
  outage: true,
} satisfies Record<DetectorId, true>;

/** The contract's detectors in its order, complete by its type; its schemas would bring a whole validator along. */
export const detectorIds = Object.keys(known) as readonly DetectorId[];
