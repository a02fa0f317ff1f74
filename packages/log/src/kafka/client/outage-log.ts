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
/** How often the same warning is logged at most, ms. */
const REPEAT_MS = 60_000;
/** Warnings that are remembered. */
const MAX_WARNINGS = 1_000;

/**
 * Logs the outages of a process's connection to Kafka, across all its clients: once when an outage starts, then reminders,
 * and once when it is over. Warnings during an outage are its consequences, and are logged at level debug; so are those that
 * repeat one of the last minute, such as of a topic that is missing.
 */
export class KafkaOutageLog {
  readonly #log: LogFunction;
  readonly #now: () => number;
  /** When each warning was logged. */
  readonly #warned = new Map<string, number>();
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
    const isQuiet = level === 'warn' && (this.isOngoing || this.#isRepeated(message, fields));
    this.#log(isQuiet ? 'debug' : level, message, fields);
  };

  #isRepeated(message: string, { topic, partition, error }: Readonly<Record<string, unknown>>): boolean {
    const name = JSON.stringify([message, topic, partition, error]);
    const now = this.#now();
    if (now - (this.#warned.get(name) ?? -Infinity) < REPEAT_MS) return true;
    if (this.#warned.size >= MAX_WARNINGS) this.#warned.clear();
    this.#warned.set(name, now);
    return false;
  }

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
