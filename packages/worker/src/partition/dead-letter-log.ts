import type { DeadLetterReason } from '@loopwatch/contract';
import { oneLine } from '@loopwatch/detectors/internal';
import { deadLetter, type LogRecord, type OutputRecord, SMALL_LETTER_BYTES } from '@loopwatch/log';
import type { Logger } from 'pino';

const WINDOW_MS = 60_000;

/** A committed dead letter. */
export interface DeadLetterNote {
  readonly reason: DeadLetterReason;
  /** Topic, partition and offset. */
  readonly where: string;
  readonly message: string;
}

/**
 * A dead letter, and the note for the log once it is committed.
 *
 * @param isRetry whether the previous attempt failed, possibly because of a dead letter: they are smaller then
 */
export function notedLetter(
  topic: string,
  record: LogRecord,
  topicPartition: { readonly topic: string; readonly partition: number },
  { reason, message }: Pick<DeadLetterNote, 'reason' | 'message'>,
  isRetry: boolean,
): { readonly output: OutputRecord; readonly note: DeadLetterNote } {
  const where = `${topicPartition.topic}/${String(topicPartition.partition)}@${String(record.offset)}`;
  return {
    output: deadLetter(
      topic,
      record,
      topicPartition,
      reason,
      message,
      isRetry ? SMALL_LETTER_BYTES : undefined,
    ),
    note: { reason, message, where },
  };
}

/** Logs the first dead letter of each reason at once, and sums up the others once a minute. */
export class DeadLetterLog {
  readonly #logger: Logger;
  /** Monotonic clock, ms. */
  readonly #now: () => number;
  #since = 0;
  /** Dead letters since the last summary that were not logged, by reason. */
  readonly #unlogged = new Map<DeadLetterReason, number>();

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  note({ reason, where, message }: DeadLetterNote): void {
    this.tick();
    const more = this.#unlogged.get(reason);
    if (more !== undefined) {
      this.#unlogged.set(reason, more + 1);
      return;
    }
    if (this.#unlogged.size === 0) this.#since = this.#now();
    this.#unlogged.set(reason, 0);
    this.#logger.warn(
      { reason, where },
      oneLine(`Record ${where} rejected as a dead letter (${reason}): ${message}`),
    );
  }

  /** Logs the summary once the minute is over; called periodically. */
  tick(): void {
    if (this.#unlogged.size > 0 && this.#now() - this.#since >= WINDOW_MS) this.flush();
  }

  /** Logs the summary now. */
  flush(): void {
    const reasons = [...this.#unlogged].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
    this.#unlogged.clear();
    if (reasons.length === 0) return;
    const count = reasons.reduce((sum, [, more]) => sum + more, 0);
    const seconds = Math.max(1, Math.round((this.#now() - this.#since) / 1000));
    const list = reasons.map(([reason, more]) => `${reason} ${more.toLocaleString('en-US')}`).join(', ');
    this.#logger.warn(
      { count, reasons: Object.fromEntries(reasons) },
      `${count.toLocaleString('en-US')} more dead letter${count === 1 ? '' : 's'} in the last ${String(seconds)} s: ${list}`,
    );
  }
}
