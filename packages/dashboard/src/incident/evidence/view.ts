import type { DetectorId, EvidenceOf, Incident } from '@loopwatch/contract';

/** What draws the evidence of a detector. */
export interface ViewProps<D extends DetectorId> {
  readonly incident: Incident;
  readonly evidence: EvidenceOf<D>;
  /** Opens the session at an event. */
  readonly onOpen?: ((eventIndex: number) => void) | undefined;
}
