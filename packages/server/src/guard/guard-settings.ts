import type { DetectionSettings } from '@loopwatch/contract';
import { type Detection, detectionOf, withScopes } from '@loopwatch/detectors';
import type { Database } from '@loopwatch/storage';
import { allSettings, type StoredSettings } from '../settings/stored-settings.ts';

/** Settings may be changed by another server; a change holds for guarded sessions after this at the latest. */
const FRESH_MS = 1_000;
const sessionPrefix = 'session:';

type Set = StoredSettings['set'];

/** Settings as they hold for guarded sessions. */
export interface CurrentSettings {
  /** For all sessions. */
  readonly detection: Detection;
  /** What a session sets for itself, with who did. */
  readonly ofSession: (id: string) => Pick<StoredSettings, 'set' | 'updatedBy'>;
}

const none: Pick<StoredSettings, 'set' | 'updatedBy'> = { set: {}, updatedBy: null };

/** The settings of the server, its models and its sessions, read again once they may be old. */
export class GuardSettings {
  readonly #database: Database;
  readonly #configured: DetectionSettings;
  readonly #now: () => number;
  #wideText = '[]';
  #current: CurrentSettings;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<CurrentSettings> | undefined;

  constructor(database: Database, configured: DetectionSettings, now: () => number) {
    this.#database = database;
    this.#configured = configured;
    this.#now = now;
    this.#current = { detection: detectionOf(configured), ofSession: () => none };
  }

  /** Rejects when the database cannot be read. */
  get(): Promise<CurrentSettings> {
    if (this.#now() - this.#readAt < FRESH_MS) return Promise.resolve(this.#current);
    return (this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    }));
  }

  /** As they are stored now, not as they were a moment ago. */
  async latest(): Promise<CurrentSettings> {
    // What is being read may have been changed since.
    await this.#reading?.catch(() => undefined);
    this.forget();
    return this.get();
  }

  /** What was changed here holds from the next call on. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<CurrentSettings> {
    const stored = await allSettings(this.#database);
    const wide = new Map<string, Set>();
    const own = new Map<string, StoredSettings>();
    for (const row of stored) {
      if (row.scope.startsWith(sessionPrefix)) own.set(row.scope.slice(sessionPrefix.length), row);
      else wide.set(row.scope, row.set);
    }
    const text = JSON.stringify([...wide]);
    const detection =
      text === this.#wideText
        ? this.#current.detection
        : detectionOf(withScopes(this.#configured, wide).settings);
    this.#wideText = text;
    this.#current = { detection, ofSession: (id) => own.get(id) ?? none };
    this.#readAt = this.#now();
    return this.#current;
  }
}
