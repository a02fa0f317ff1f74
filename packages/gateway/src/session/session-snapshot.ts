import { type PureVerdict, type SessionSnapshot, snapshotVersion } from '@loopwatch/detectors';
import type { LineageSnapshot } from './lineage.ts';
import type { LedgerSnapshot } from './prompt-ledger.ts';

/** A session between two requests, as JSON; stored with its settings version. The field names are stored. */
export interface GatewaySnapshot {
  readonly v: 2;
  /** May be shared with other conversations. */
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

/** @returns `undefined` for a snapshot of another version */
export function readGatewaySnapshot(state: Record<string, unknown> | undefined): GatewaySnapshot | undefined {
  const analyzer = state?.['analyzer'] as Partial<SessionSnapshot> | undefined;
  if (state?.['v'] !== 2 || analyzer?.v !== snapshotVersion) return undefined;
  return state as unknown as GatewaySnapshot;
}
