import type { Database } from '@loopwatch/storage';
import { LRUCache } from 'lru-cache';
import { openIncidents, type StoredIncident } from './open-incidents.ts';

/** An older entry is still used, but refreshed in the background: another server may have stored changes. */
const FRESH_MS = 1_000;
/** An older entry is not used: a mute may have expired since. */
const USABLE_MS = 10_000;

interface Clocks {
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
}

interface Entry {
  incidents: Promise<readonly StoredIncident[]>;
  /** Monotonic clock, ms. */
  readAt: number;
}

/**
 * Caches the open incidents of guarded sessions, so that a decision need not wait for the database. Changes by this server
 * apply at once, those by another server a moment later.
 */
export class IncidentCache {
  readonly #database: Database;
  readonly #clocks: Clocks;
  readonly #entries: LRUCache<string, Entry>;

  constructor(database: Database, clocks: Clocks, limit: number) {
    this.#database = database;
    this.#clocks = clocks;
    this.#entries = new LRUCache({ max: limit });
  }

  /** Rejects when the database cannot be read. */
  of(sessionId: string): Promise<readonly StoredIncident[]> {
    const known = this.#entries.get(sessionId);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clocks.monotonic() - known.readAt;
    if (known === undefined || age >= USABLE_MS) return this.#read(sessionId);
    if (age >= FRESH_MS) this.#refresh(sessionId, known);
    return known.incidents;
  }

  /** Call when verdicts on this session were stored. */
  reload(sessionId: string): void {
    if (this.#entries.has(sessionId)) void this.#read(sessionId).catch(() => undefined);
  }

  clear(): void {
    this.#entries.clear();
  }

  #read(sessionId: string): Promise<readonly StoredIncident[]> {
    const incidents = openIncidents(this.#database, sessionId, this.#clocks.now());
    this.#entries.set(sessionId, { incidents, readAt: this.#clocks.monotonic() });
    incidents.catch(() => {
      this.#entries.delete(sessionId);
    });
    return incidents;
  }

  /** Reads in the background; the known incidents are used meanwhile. */
  #refresh(sessionId: string, known: Entry): void {
    known.readAt = this.#clocks.monotonic();
    const fresh = openIncidents(this.#database, sessionId, this.#clocks.now());
    fresh.then(
      () => {
        if (this.#entries.get(sessionId) === known) known.incidents = fresh;
      },
      () => {
        this.#entries.delete(sessionId);
      },
    );
  }
}
