import type { PureVerdict, SessionSnapshot } from '@loopwatch/detectors';
import type { LedgerSnapshot } from './prompt-ledger.ts';

/** A session between two requests, as JSON. */
export interface KeptSession {
  readonly v: 1;
  /** Hash of the settings it was watched by: with others it begins afresh. */
  readonly settings: string;
  readonly analyzer: SessionSnapshot;
  readonly ledger: LedgerSnapshot;
  readonly open: readonly PureVerdict[];
  readonly tools: readonly (readonly [string, string])[];
  readonly contentUnits: number;
  readonly limit: string | null;
  readonly undelivered: boolean;
  readonly hasOwnSettings: boolean;
}

/**
 * Where sessions are kept beyond the memory of one gateway: those that memory has no room for, and all of them after a
 * restart. Whoever keeps them for several gateways has to send each session's requests to one of them at a time.
 */
export interface SessionKeeper {
  /** @returns the session as it was kept last; undefined where it was not, or was forgotten */
  load(id: string): Promise<KeptSession | undefined>;
  /** Keeps a session in place of what was kept of it before. */
  keep(id: string, session: KeptSession): Promise<void>;
}

/** Keeps sessions as texts in memory, those kept last, within a bound. */
export class MemorySessionKeeper implements SessionKeeper {
  private readonly kept = new Map<string, string>();
  private readonly limit: number;

  /** @param limit sessions, at most */
  constructor(limit: number) {
    this.limit = limit;
  }

  load(id: string): Promise<KeptSession | undefined> {
    const text = this.kept.get(id);
    return Promise.resolve(text === undefined ? undefined : (JSON.parse(text) as KeptSession));
  }

  keep(id: string, session: KeptSession): Promise<void> {
    this.kept.delete(id);
    this.kept.set(id, JSON.stringify(session));
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.limit && oldest !== undefined) this.kept.delete(oldest);
    return Promise.resolve();
  }
}
