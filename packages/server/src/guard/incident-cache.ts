import type { Database } from '@loopwatch/storage';
import { LRUCache } from 'lru-cache';
import { openIncidents, type StoredIncident } from './open-incidents.ts';

/** An older entry is still used, but refreshed in the background: another server may have stored changes. */
const FRESH_MS = 1_000;
/** An older entry is not used: a mute may have expired since. */
const USABLE_MS = 10_000;

interface Entry {
  incidents: Promise<readonly StoredIncident[]>;
  /** Wall clock, epoch ms. */
  readAt: number;
}

/**
 * Caches the open incidents of guarded sessions, so that a decision need not wait for the database. Changes by this server
 * apply at once, those by another server a moment later.
 */
export class IncidentCache {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #entries: LRUCache<string, Entry>;

  constructor(database: Database, now: () => number, limit: number) {
    this.#database = database;
    this.#now = now;
    this.#entries = new LRUCache({ max: limit });
  }

  /** Rejects when the database cannot be read. */
  of(sessionId: string): Promise<readonly StoredIncident[]> {
    const known = this.#entries.get(sessionId);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#now() - known.readAt;
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
    const incidents = openIncidents(this.#database, sessionId, this.#now());
    this.#entries.set(sessionId, { incidents, readAt: this.#now() });
    incidents.catch(() => {
      this.#entries.delete(sessionId);
    });
    return incidents;
  }

  /** Reads in the background; the known incidents are used meanwhile. */
  #refresh(sessionId: string, known: Entry): void {
    known.readAt = this.#now();
    const fresh = openIncidents(this.#database, sessionId, this.#now());
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
