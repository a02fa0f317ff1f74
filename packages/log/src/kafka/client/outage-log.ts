import type { LogFunction } from '@loopwatch/platform';
import {
  available,
  describeOutage,
  type LinkEvent,
  type LinkFailure,
  type LinkState,
  nextLinkState,
} from './outage.ts';

const TICK_MS = 1_000;

/**
 * Logs the outages of a process's connection to Kafka, across all its clients: once when an outage starts, then reminders,
 * and once when it is over. Warnings during an outage are its consequences, and are logged at level debug.
 */
export class KafkaOutageLog {
  readonly #log: LogFunction;
  readonly #now: () => number;
  #state: LinkState = available;
  #ticks: NodeJS.Timeout | undefined;
  /** Whether a broker has failed and Kafka is not known to be available again; a field, because every answer reads it. */
  isOngoing = false;

  /** @param now Milliseconds on a monotonic clock. */
  constructor(log: LogFunction, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** The log function for all clients of the process. Errors are always logged, because an outage alone causes only retries. */
  readonly log: LogFunction = (level, message, fields) => {
    this.#log(level === 'warn' && this.isOngoing ? 'debug' : level, message, fields);
  };

  /** Why no broker serves this process, as one sentence without its full stop; undefined while Kafka is available. */
  get trouble(): string | undefined {
    return describeOutage(this.#state);
  }

  failed(broker: string, failure: LinkFailure): void {
    this.#apply({ kind: 'failed', broker, failure });
    this.#ticks ??= setInterval(() => this.#apply({ kind: 'tick' }), TICK_MS).unref();
  }

  answered(broker: string): void {
    this.#apply({ kind: 'answered', broker });
  }

  #apply(event: LinkEvent): void {
    const [state, line] = nextLinkState(this.#state, event, this.#now());
    this.#state = state;
    this.isOngoing = state !== available;
    if (line !== undefined) this.#log(line.level, line.message, { outageMs: Math.round(line.outageMs) });
    if (state !== available) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }
}
