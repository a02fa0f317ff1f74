import { type PureVerdict, type SessionSnapshot, snapshotVersion } from '@loopwatch/detectors';
import type { LedgerSnapshot } from './prompt-ledger.ts';

/** A session between two requests, as JSON; it goes with the settings it was watched by. */
export interface KeptSession {
  readonly v: 1;
  readonly analyzer: SessionSnapshot;
  readonly ledger: LedgerSnapshot;
  readonly open: readonly PureVerdict[];
  readonly tools: readonly (readonly [string, string])[];
  readonly contentUnits: number;
  readonly limit: string | null;
  readonly undelivered: boolean;
  readonly hasOwnSettings: boolean;
  /** Hash of the system prompt. */
  readonly system: string;
}

/** @returns `undefined` for what another version kept */
export function keptSessionOf(state: Record<string, unknown> | undefined): KeptSession | undefined {
  const analyzer = state?.['analyzer'] as Partial<SessionSnapshot> | undefined;
  if (state?.['v'] !== 1 || analyzer?.v !== snapshotVersion) return undefined;
  return state as unknown as KeptSession;
}
