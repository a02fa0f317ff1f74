import { type PureVerdict, type SessionSnapshot, snapshotVersion } from '@loopwatch/detectors';
import type { LineageSnapshot } from './lineage.ts';
import type { LedgerSnapshot } from './prompt-ledger.ts';

/** A session between two requests, as JSON; it goes with the settings it was watched by. */
export interface KeptSession {
  readonly v: 2;
  /** The name that it shares with other conversations. */
  readonly name: string;
  readonly analyzer: SessionSnapshot;
  readonly ledger: LedgerSnapshot;
  readonly lineage: LineageSnapshot;
  readonly open: readonly PureVerdict[];
  readonly tools: readonly (readonly [string, string])[];
  readonly contentUnits: number;
  readonly limit: string | null;
  readonly hasOwnSettings: boolean;
  /** Hash of the system prompt. */
  readonly system: string;
}

/** @returns `undefined` for what another version kept */
export function keptSessionOf(state: Record<string, unknown> | undefined): KeptSession | undefined {
  const analyzer = state?.['analyzer'] as Partial<SessionSnapshot> | undefined;
  if (state?.['v'] !== 2 || analyzer?.v !== snapshotVersion) return undefined;
  return state as unknown as KeptSession;
}
