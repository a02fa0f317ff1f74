import type { DetectorId } from './detectors.ts';

/** Detectors of tool call loops. A separate file, so that detection bundles do not include the detectors' texts. */
export const callDetectors: ReadonlySet<DetectorId> = new Set(['tool-repeat', 'tool-cycle', 'stagnation']);
