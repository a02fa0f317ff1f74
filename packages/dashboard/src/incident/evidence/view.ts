import type { DetectorId, EvidenceOf, Incident } from '@loopwatch/contract';

/** Props of a component that shows a detector's evidence. */
export interface ViewProps<D extends DetectorId> {
  readonly incident: Incident;
  readonly evidence: EvidenceOf<D>;
  /** Opens the session at an event. */
  readonly onOpen?: ((eventIndex: number) => void) | undefined;
}
