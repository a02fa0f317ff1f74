import { setTimeout as delay } from 'node:timers/promises';
import { type AgentEvent, eventTime } from '@loopwatch/contract';
import type { OutputRecord, VerdictSink } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { Sample } from './load-samples.ts';

/** Sessions that are played side by side. */
const LANES = 3;
/** A recorded pause is never longer than this when it is played. */
const LONGEST_PAUSE_MS = 1500;
/** A sample that would take longer than this is played faster. */
const LONGEST_SAMPLE_MS = 40_000;
const BETWEEN_SAMPLES_MS = 2000;
const AFTER_FAILURE_MS = 5000;

export interface SamplePlayerDeps {
  readonly samples: readonly Sample[];
  readonly sink: VerdictSink;
  readonly topic: string;
  readonly logger: Logger;
}

/** Plays recorded sessions at a human pace, round after round, each time as new sessions. */
export class SamplePlayer {
  private readonly deps: SamplePlayerDeps;
  private readonly stopping = new AbortController();
  private readonly run = Math.floor(Date.now() / 1000).toString(36);
  private next = 0;
  private lanes: Promise<void>[] = [];

  constructor(deps: SamplePlayerDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    await this.deps.sink.open();
    if (this.deps.samples.length > 0) this.lanes = Array.from({ length: LANES }, () => this.lane());
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.lanes);
    await this.deps.sink.close();
  }

  private async lane(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      const number = this.next;
      this.next += 1;
      const sample = this.deps.samples[number % this.deps.samples.length];
      if (sample === undefined) return;
      try {
        await this.play(sample, `${sample.sessionId}-${this.run}-${String(number)}`);
        await delay(BETWEEN_SAMPLES_MS, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        this.deps.logger.warn(
          { err: error, sample: sample.name },
          'A sample could not be played; going on with the next',
        );
        await delay(AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async play({ events }: Sample, sessionId: string): Promise<void> {
    const pauses = pausesBefore(events);
    for (const [i, event] of events.entries()) {
      await delay(pauses[i], undefined, { signal: this.stopping.signal });
      await this.deps.sink.publish([this.record(event, sessionId)]);
    }
  }

  private record(event: AgentEvent, sessionId: string): OutputRecord {
    return {
      topic: this.deps.topic,
      key: sessionId,
      value: JSON.stringify({ ...event, sessionId, time: Date.now() }),
    };
  }
}

/** Milliseconds to wait before each event: the recorded pauses, none too long, all faster where it takes too long. */
export function pausesBefore(events: readonly AgentEvent[]): number[] {
  let before = Number.NaN;
  const pauses = events.map((event) => {
    const time = eventTime(event, before);
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(0, time - before || 0));
    before = time;
    return pause;
  });
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  return total <= LONGEST_SAMPLE_MS ? pauses : pauses.map((pause) => (pause * LONGEST_SAMPLE_MS) / total);
}
