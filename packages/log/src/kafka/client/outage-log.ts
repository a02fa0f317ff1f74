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
 * What a process says of its link to Kafka, however many clients it has: an outage is told once, with reminders, and
 * once more when it is over. Whatever else is retried meanwhile follows from it, and is told at level debug.
 */
export class KafkaOutageLog {
  readonly #log: LogFunction;
  readonly #now: () => number;
  #state: LinkState = available;
  #ticks: NodeJS.Timeout | undefined;

  /** @param now Milliseconds on a clock that never goes back. */
  constructor(log: LogFunction, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** For all clients of the process. Errors are always told: nothing that is final follows from an outage alone. */
  readonly log: LogFunction = (level, message, fields) => {
    this.#log(level === 'warn' && this.#state !== available ? 'debug' : level, message, fields);
  };

  /** One sentence, without its full stop, on why no broker serves this process; undefined while Kafka is available. */
  get trouble(): string | undefined {
    return describeOutage(this.#state);
  }

  failed(broker: string, failure: LinkFailure): void {
    this.#take({ kind: 'failed', broker, failure });
    this.#ticks ??= setInterval(() => this.#take({ kind: 'tick' }), TICK_MS).unref();
  }

  answered(broker: string): void {
    if (this.#state !== available) this.#take({ kind: 'answered', broker });
  }

  #take(event: LinkEvent): void {
    const [state, line] = nextLinkState(this.#state, event, this.#now());
    this.#state = state;
    if (line !== undefined) this.#log(line.level, line.message, { outageMs: Math.round(line.outageMs) });
    if (state !== available) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }
}
