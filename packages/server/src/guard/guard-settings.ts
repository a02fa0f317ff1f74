import type { DetectionSettings } from '@loopwatch/contract';
import { type Detection, detectionOf, withScopes } from '@loopwatch/detectors/internal';
import type { Database } from '@loopwatch/storage';
import { allSettings, type StoredSettings } from '../settings/stored-settings.ts';
import { readStops, Stops } from './stops.ts';

/** Changes of another server apply to guarded sessions after this time at the latest. */
const FRESH_MS = 1_000;
const sessionPrefix = 'session:';

type Overrides = StoredSettings['set'];

/** The settings that apply to guarded sessions. */
export interface CurrentSettings {
  /** For all sessions. */
  readonly detection: Detection;
  /** The overrides of a session, and who set them. */
  readonly overridesOf: (id: string) => Pick<StoredSettings, 'set' | 'updatedBy'>;
  readonly stops: Stops;
}

interface Stored {
  /** The overrides of the server and its models, by scope. */
  readonly shared: ReadonlyMap<string, Overrides>;
  readonly bySession: ReadonlyMap<string, StoredSettings>;
  readonly stops: Stops;
}

const none: Pick<StoredSettings, 'set' | 'updatedBy'> = { set: {}, updatedBy: null };

/** Caches the settings of the server, its models and its sessions for a second. */
export class GuardSettings {
  readonly #database: Database;
  readonly #configured: DetectionSettings;
  readonly #monotonic: () => number;
  /** The server's and the models' overrides as JSON: detection is rebuilt only when they change. */
  #sharedJson = '[]';
  #current: CurrentSettings;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The latest read; one that was overtaken by a change is not kept. */
  #reading: Promise<CurrentSettings> | undefined;

  /** @param monotonic ms */
  constructor(database: Database, configured: DetectionSettings, monotonic: () => number) {
    this.#database = database;
    this.#configured = configured;
    this.#monotonic = monotonic;
    const stops = new Stops(new Map(), new Map());
    this.#current = { detection: detectionOf(configured), overridesOf: () => none, stops };
  }

  /** Rejects when the database cannot be read. */
  get(): Promise<CurrentSettings> {
    if (this.#monotonic() - this.#readAt < FRESH_MS) return Promise.resolve(this.#current);
    return (this.#reading ??= this.#read());
  }

  /** Bypasses the cache. */
  latest(): Promise<CurrentSettings> {
    this.invalidate();
    return this.get();
  }

  /** Call when settings were stored: a read in progress may miss them. */
  invalidate(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
  }

  #read(): Promise<CurrentSettings> {
    const reading: Promise<CurrentSettings> = this.#stored()
      .then((stored) => (this.#reading === reading ? this.#adopt(stored) : this.get()))
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    return reading;
  }

  async #stored(): Promise<Stored> {
    const shared = new Map<string, Overrides>();
    const bySession = new Map<string, StoredSettings>();
    for (const row of await allSettings(this.#database)) {
      if (row.scope.startsWith(sessionPrefix)) bySession.set(row.scope.slice(sessionPrefix.length), row);
      else shared.set(row.scope, row.set);
    }
    return { shared, bySession, stops: await readStops(this.#database, bySession) };
  }

  #adopt({ shared, bySession, stops }: Stored): CurrentSettings {
    const json = JSON.stringify([...shared]);
    const detection =
      json === this.#sharedJson
        ? this.#current.detection
        : detectionOf(withScopes(this.#configured, shared).settings);
    this.#sharedJson = json;
    this.#current = { detection, overridesOf: (id) => bySession.get(id) ?? none, stops };
    this.#readAt = this.#monotonic();
    return this.#current;
  }
}
