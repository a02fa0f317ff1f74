import { setTimeout as delay } from 'node:timers/promises';
import { type AgentEvent, eventTime } from '@loopwatch/contract';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { Sample } from './load-samples.ts';

/** Number of sessions played in parallel. */
const LANES = 3;
/** Longer recorded pauses are shortened to this. */
const MAX_PAUSE_MS = 1500;
/** A longer sample is played faster. */
const MAX_SAMPLE_MS = 40_000;
const BETWEEN_SAMPLES_MS = 2000;
const AFTER_FAILURE_MS = 5000;

export interface SamplePlayerDeps {
  readonly samples: readonly Sample[];
  /** Creates a sink for each call of `play`: a closed sink cannot be reopened. */
  readonly createSink: () => RecordSink;
  readonly topic: string;
  readonly logger: Logger;
}

type OnSession = (sessionId: string) => Promise<void>;

/** Plays recorded sessions at a human pace in an endless loop, each time as new sessions. */
export class SamplePlayer {
  readonly #deps: SamplePlayerDeps;
  #stopping = new AbortController();
  readonly #run = Math.floor(Date.now() / 1000).toString(36);
  #next = 0;
  #lanes: Promise<void>[] = [];
  #sink: RecordSink | undefined;

  constructor(deps: SamplePlayerDeps) {
    this.#deps = deps;
  }

  /** @param onSession called for each session before its first event */
  async play(onSession: OnSession): Promise<void> {
    const sink = this.#deps.createSink();
    await sink.open();
    this.#sink = sink;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    if (this.#deps.samples.length > 0)
      this.#lanes = Array.from({ length: LANES }, () => this.#playLane(onSession, signal));
  }

  /** Ends the sessions that are being played, so that none appears to loop forever. */
  async pause(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#lanes);
    this.#lanes = [];
    await this.#sink?.close();
  }

  async #playLane(onSession: OnSession, signal: AbortSignal): Promise<void> {
    for (;;) {
      const number = this.#next;
      this.#next += 1;
      const sample = this.#deps.samples[number % this.#deps.samples.length];
      if (sample === undefined) return;
      try {
        const sessionId = `${sample.sessionId}-${this.#run}-${String(number)}`;
        await onSession(sessionId);
        await this.#playSample(sample, sessionId, signal);
        await delay(BETWEEN_SAMPLES_MS, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.logger.warn(
          { err: error, sample: sample.name },
          'Could not play a sample; continuing with the next one',
        );
        await delay(AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #playSample({ events }: Sample, sessionId: string, signal: AbortSignal): Promise<void> {
    const pauses = pausesBefore(events);
    try {
      for (const [i, event] of events.entries()) {
        await delay(pauses[i], undefined, { signal });
        await this.#sink?.publish([this.#record(event, sessionId)]);
      }
    } catch (error) {
      if (signal.aborted) await this.#sink?.publish([this.#record({ type: 'session_ended' }, sessionId)]);
      throw error;
    }
  }

  #record(event: AgentEvent, sessionId: string): OutputRecord {
    return {
      topic: this.#deps.topic,
      key: sessionId,
      value: JSON.stringify({ ...event, sessionId, time: Date.now() }),
    };
  }
}

/** Milliseconds to wait before each event: the recorded pauses, shortened to the limits above. */
export function pausesBefore(events: readonly AgentEvent[]): number[] {
  let before = Number.NaN;
  const pauses = events.map((event) => {
    const time = eventTime(event, before);
    const pause = Math.min(MAX_PAUSE_MS, Math.max(0, time - before || 0));
    before = time;
    return pause;
  });
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  return total <= MAX_SAMPLE_MS ? pauses : pauses.map((pause) => (pause * MAX_SAMPLE_MS) / total);
}
