import type { DeadLetterReason } from '@loopwatch/contract';
import { oneLine } from '@loopwatch/detectors';
import type { Logger } from 'pino';

const WINDOW_MS = 60_000;

/** A dead letter that is durable. */
export interface DeadLetterNote {
  readonly reason: DeadLetterReason;
  /** Topic, partition and offset. */
  readonly where: string;
  readonly message: string;
}

/** Says of dead letters what a person can use: the first of each reason at once, the others of a minute in one line. */
export class DeadLetterLog {
  private readonly logger: Logger;
  /** On a clock that never goes back, ms. */
  private readonly now: () => number;
  private since = 0;
  /** How many of each reason were not told of. */
  private readonly more = new Map<DeadLetterReason, number>();

  constructor(logger: Logger, now: () => number) {
    this.logger = logger;
    this.now = now;
  }

  note({ reason, where, message }: DeadLetterNote): void {
    this.look();
    const more = this.more.get(reason);
    if (more !== undefined) {
      this.more.set(reason, more + 1);
      return;
    }
    if (this.more.size === 0) this.since = this.now();
    this.more.set(reason, 0);
    this.logger.warn({ reason, where }, oneLine(`Record ${where} is a dead letter (${reason}): ${message}`));
  }

  /** To be called now and then: ends the minute when it is over. */
  look(): void {
    if (this.more.size > 0 && this.now() - this.since >= WINDOW_MS) this.flush();
  }

  /** Tells of all that was not told of. */
  flush(): void {
    const reasons = [...this.more].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
    this.more.clear();
    if (reasons.length === 0) return;
    const count = reasons.reduce((sum, [, more]) => sum + more, 0);
    const seconds = Math.max(1, Math.round((this.now() - this.since) / 1000));
    const list = reasons.map(([reason, more]) => `${reason} ${more.toLocaleString('en-US')}`).join(', ');
    this.logger.warn(
      { count, reasons: Object.fromEntries(reasons) },
      `${count.toLocaleString('en-US')} more dead letter${count === 1 ? '' : 's'} in the last ${String(seconds)} s: ${list}`,
    );
  }
}
