import type { BankSnapshot, Labels, OpenIncident } from '../incident/finding.ts';
import type { Coverage } from '../incident/waste.ts';
import type { SessionOverrides } from '../settings/session-settings.ts';
import type { KnownIdsSnapshot } from './known-ids.ts';
import type { LastTurnSnapshot } from './last-turn.ts';
import type { TotalsSnapshot } from './session-account.ts';

/** Increase when the snapshot format changes; older snapshots are not restored. */
export const SNAPSHOT_VERSION = 9;

/** The whole state of a session as JSON. */
export interface SessionSnapshot extends BankSnapshot {
  readonly v: typeof SNAPSHOT_VERSION;
  readonly lastTime: number;
  readonly position: number;
  readonly overrides: SessionOverrides;
  readonly ids: KnownIdsSnapshot;
  readonly totals: TotalsSnapshot;
  readonly turn: LastTurnSnapshot;
  readonly labels: Labels;
  /** Absent without a prompt of a person. */
  readonly prompts?: string;
  readonly incidents: readonly OpenIncident[];
  /** Absent without loops so far. */
  readonly coverage?: Coverage | undefined;
}
