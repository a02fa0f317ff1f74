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

/** What plays sample sessions. */
export interface SamplePlayback {
  /** Plays until `pause`. @param onSession told of each session before its first event */
  play(onSession: (id: string) => Promise<void>): Promise<void>;
  /** Ends the sessions that are being played. */
  pause(): Promise<void>;
}

export interface SampleSessionsOptions {
  readonly database: Database;
  /** undefined: this process plays none. */
  readonly playback: SamplePlayback | undefined;
  /** Everything that was shown may be gone. */
  readonly onRemoved: () => void;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** The last records of a session that was stopped are read a moment later, and bring it back. */
const SWEEPS_MS = [2_000, 15_000, 60_000];

/** Plays, stops and removes sample sessions. */
export class SampleSessions {
  readonly #options: SampleSessionsOptions;
  #isPlaying = false;
  #sweeps: ReturnType<typeof setTimeout>[] = [];
  /** One change after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: SampleSessionsOptions) {
    this.#options = options;
  }

  /** Plays unless they were stopped, in this run or an earlier one. */
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

  /** Stops them, and removes what is stored of them. */
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
              'Sample sessions could not be removed; a restart removes them',
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
