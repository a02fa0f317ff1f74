import { setTimeout as delay } from 'node:timers/promises';
import { type AgentEvent, eventTime } from '@loopwatch/contract';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
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
  /** A new one each time they are played: a closed one cannot be opened again. */
  readonly createSink: () => RecordSink;
  readonly topic: string;
  readonly logger: Logger;
}

type OnSession = (sessionId: string) => Promise<void>;

/** Plays recorded sessions at a human pace, one after the other and from the start again, each time as new sessions. */
export class SamplePlayer {
  private readonly deps: SamplePlayerDeps;
  private stopping = new AbortController();
  private readonly run = Math.floor(Date.now() / 1000).toString(36);
  private next = 0;
  private lanes: Promise<void>[] = [];
  private sink: RecordSink | undefined;

  constructor(deps: SamplePlayerDeps) {
    this.deps = deps;
  }

  /** @param onSession told of each session before its first event */
  async play(onSession: OnSession): Promise<void> {
    const sink = this.deps.createSink();
    await sink.open();
    this.sink = sink;
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    if (this.deps.samples.length > 0)
      this.lanes = Array.from({ length: LANES }, () => this.lane(onSession, signal));
  }

  /** Ends the sessions that are being played, so that none of them seems to loop for ever. */
  async pause(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.lanes);
    this.lanes = [];
    await this.sink?.close();
  }

  private async lane(onSession: OnSession, signal: AbortSignal): Promise<void> {
    for (;;) {
      const number = this.next;
      this.next += 1;
      const sample = this.deps.samples[number % this.deps.samples.length];
      if (sample === undefined) return;
      try {
        const sessionId = `${sample.sessionId}-${this.run}-${String(number)}`;
        await onSession(sessionId);
        await this.playSample(sample, sessionId, signal);
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

  private async playSample({ events }: Sample, sessionId: string, signal: AbortSignal): Promise<void> {
    const pauses = pausesBefore(events);
    try {
      for (const [i, event] of events.entries()) {
        await delay(pauses[i], undefined, { signal });
        await this.sink?.publish([this.record(event, sessionId)]);
      }
    } catch (error) {
      if (signal.aborted) await this.sink?.publish([this.record({ type: 'session_ended' }, sessionId)]);
      throw error;
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
