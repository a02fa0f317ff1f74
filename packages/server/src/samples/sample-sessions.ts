import type { Samples } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import {
  areSamplesStopped,
  countSamples,
  markSample,
  markSamplesRemoved,
  removeSamples,
  storeSamplesStopped,
} from './stored-samples.ts';

/** A player of sample sessions. */
export interface SamplePlayback {
  /** Plays until `pause`. @param onSession called for each session before its first event */
  play(onSession: (id: string) => Promise<void>): Promise<void>;
  /** Ends the running sessions. */
  pause(): Promise<void>;
}

export interface SampleSessionsOptions {
  readonly database: Database;
  /** undefined: this server has no sample sessions. */
  readonly playback: SamplePlayback | undefined;
  /** Called when rows were deleted. */
  readonly onRemoved: () => void;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** When to delete again: the last records of a stopped session are read a moment later, and recreate its rows. */
const SWEEPS_MS = [2_000, 15_000, 60_000];

/** Plays, stops and removes sample sessions. */
export class SampleSessions {
  readonly #options: SampleSessionsOptions;
  #isPlaying = false;
  #sweeps: ReturnType<typeof setTimeout>[] = [];
  /** Changes are sequential. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: SampleSessionsOptions) {
    this.#options = options;
  }

  /** Plays, unless a user has stopped them, possibly before a restart. */
  async start(): Promise<void> {
    const { database, now } = this.#options;
    await removeSamples(database, now());
    if (!(await areSamplesStopped(database))) await this.#play();
  }

  async stop(): Promise<void> {
    for (const sweep of this.#sweeps) clearTimeout(sweep);
    await this.#changing;
    await this.#pause();
  }

  async state(): Promise<Samples> {
    return {
      available: this.#options.playback !== undefined,
      playing: this.#isPlaying,
      sessions: await countSamples(this.#options.database),
    };
  }

  setPlaying(playing: boolean): Promise<void> {
    return this.#change(async () => {
      await storeSamplesStopped(this.#options.database, !playing);
      if (playing) await this.#play();
      else await this.#pause();
    });
  }

  /** Stops the sample sessions and deletes their data. */
  remove(): Promise<void> {
    return this.#change(async () => {
      const { database } = this.#options;
      await storeSamplesStopped(database, true);
      await this.#pause();
      await markSamplesRemoved(database);
      await this.#sweep();
      this.#sweeps = SWEEPS_MS.map((ms) => {
        const timer = setTimeout(() => {
          this.#sweep().catch((err: unknown) => {
            this.#options.logger.warn(
              { err },
              'Deleting sample sessions failed; the next start deletes them',
            );
          });
        }, ms);
        timer.unref();
        return timer;
      });
    });
  }

  async #sweep(): Promise<void> {
    const { database, now, onRemoved } = this.#options;
    await removeSamples(database, now());
    onRemoved();
  }

  async #play(): Promise<void> {
    const { database, playback, now } = this.#options;
    if (this.#isPlaying || playback === undefined) return;
    this.#isPlaying = true;
    await playback.play((id) => markSample(database, id, now()));
  }

  async #pause(): Promise<void> {
    if (!this.#isPlaying) return;
    this.#isPlaying = false;
    await this.#options.playback?.pause();
  }

  #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }
}
