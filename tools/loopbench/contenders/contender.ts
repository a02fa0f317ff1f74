import type { AgentEvent } from '@loopwatch/contract';

/** A detector under test, as its users get it. */
export interface Contender {
  readonly name: string;
  /** Version, or preset. */
  readonly version: string;
  /** The parts of a session that it examines, or what it was run without. */
  readonly note: string;
  /** Whether it reports a loop anywhere in a session. */
  reports(events: readonly AgentEvent[]): boolean;
}
