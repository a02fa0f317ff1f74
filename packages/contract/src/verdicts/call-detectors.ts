import type { DetectorId } from './detectors.ts';

/**
 * Detectors that find loops of tool calls. A file of its own, so that who bundles detection does not carry the texts of the
 * detectors with it.
 */
export const callDetectors: ReadonlySet<DetectorId> = new Set(['tool-repeat', 'tool-cycle', 'stagnation']);
