import { inSpan } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import { inSlices } from '../in-slices.ts';
import { type DatabaseLink, isUnavailable } from './database-link.ts';
import {
  type MessagePrivacy,
  messageRows,
  storeMessages,
  unitsOf,
  type WaitingMessage,
} from './message-rows.ts';
import { insertReplies, type ReplyRow } from './reply-rows.ts';

/** Interval between writes; rows added meanwhile are batched. */
const PAUSE_MS = 250;
/** Under load, the interval is this many times as long as a write takes: requests need the processor, too. */
const PAUSE_SHARE = 4;
/** Rows of each kind in one write. */
const MAX_BATCH = 2_000;
/** Length of all messages in one write: the embedded database runs in this thread. */
const MAX_BATCH_UNITS = 512 * 1024;

/** Kinds of buffered rows: a metric label. */
export type RowKind = 'reply' | 'message';

export interface WriteBehindOptions {
  readonly link: DatabaseLink;
  /** Upper bounds of buffered rows, by kind. */
  readonly limits: Readonly<Record<RowKind, number>>;
  readonly privacy: MessagePrivacy;
  readonly logger: Logger;
  readonly onDropped: (what: RowKind, count: number) => void;
}

/** Writes to the database in the background, so that requests never wait for it. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #replies: ReplyRow[] = [];
  #messages: WaitingMessage[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the next write may begin. */
  #nextAt = 0;
  #isDropping = false;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Rows in the current write. */
  #inFlight = 0;

  /** Buffered rows. */
  get size(): number {
    return this.#replies.length + this.#messages.length;
  }

  addReply(row: ReplyRow): void {
    this.#replies.push(row);
    this.#trim('reply', this.#replies);
    this.#schedule();
  }

  addMessages(messages: readonly WaitingMessage[]): void {
    if (messages.length === 0) return;
    for (const message of messages) this.#messages.push(message);
    this.#trim('message', this.#messages);
    this.#schedule();
  }

  /** Drops the buffered rows of sessions. Resolves when none of them is being written any more. */
  async drop(sessionIds: readonly string[]): Promise<void> {
    const erased = new Set(sessionIds);
    this.#replies = this.#replies.filter(({ session_id: id }) => !erased.has(id));
    this.#messages = this.#messages.filter(({ sessionId }) => !erased.has(sessionId));
    await this.#writing;
  }

  /** Resolves when the buffered rows were written, or writing failed. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#write();
  }

  /** Resolves when no message of a session waits to be written any more. */
  async written(sessionId: string): Promise<void> {
    await this.#writing;
    while (this.#options.link.isUp && this.#messages.some((waiting) => waiting.sessionId === sessionId))
      await this.flush();
  }

  /** Writes all buffered rows, as long as the database is available. */
  async close(): Promise<void> {
    await this.flush();
    while (this.size > 0 && this.#options.link.isUp) await this.flush();
    clearTimeout(this.#timer);
  }

  /** Logs rows that could not be written at the end. */
  logUnwritten(): void {
    const rows = this.size + this.#inFlight;
    if (rows > 0) this.#options.logger.error({ rows }, 'Dropped messages: database unavailable');
  }

  /** Called when the database is available again. */
  resume(): void {
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || !this.#options.link.isUp) return;
    const delay = Math.max(0, this.#nextAt - performance.now());
    this.#timer = setTimeout(() => void this.#write(), delay);
    this.#timer.unref();
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const start = performance.now();
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
      const end = performance.now();
      this.#nextAt = end + Math.max(PAUSE_MS, PAUSE_SHARE * (end - start));
      if (this.size > 0) this.#schedule();
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const { link, logger, privacy } = this.#options;
    if (this.size === 0 || !link.isUp) return;
    const replies = this.#replies.splice(0, MAX_BATCH);
    const messages = this.#messages.splice(0, this.#batchLength());
    this.#inFlight = replies.length + messages.length;
    try {
      const attributes = {
        'loopwatch.write.replies': replies.length,
        'loopwatch.write.messages': messages.length,
      };
      const rows = await inSlices(messageRows(messages, privacy));
      await inSpan('store messages', { attributes, root: true }, () =>
        link.use('save', (database) =>
          database.transaction(async (tx) => {
            await insertReplies(tx, replies);
            await storeMessages(tx, rows);
          }),
        ),
      );
      this.#isDropping = false;
    } catch (error) {
      if (!isUnavailable(error)) {
        logger.error({ err: error }, 'Storing messages failed; dropped them');
        this.#drop('reply', replies.length);
        this.#drop('message', messages.length);
        return;
      }
      this.#replies = [...replies, ...this.#replies];
      this.#messages = [...messages, ...this.#messages];
      this.#trim('reply', this.#replies);
      this.#trim('message', this.#messages);
    } finally {
      this.#inFlight = 0;
    }
  }

  /** How many messages fit into a write; at least one, unless there is none. */
  #batchLength(): number {
    let units = 0;
    const end = this.#messages.findIndex((message, i) => {
      units += unitsOf(message);
      return i === MAX_BATCH || (i > 0 && units > MAX_BATCH_UNITS);
    });
    return end === -1 ? this.#messages.length : end;
  }

  #trim(what: RowKind, rows: unknown[]): void {
    const excess = rows.length - this.#options.limits[what];
    if (excess <= 0) return;
    rows.splice(0, excess);
    this.#drop(what, excess);
  }

  #drop(what: RowKind, count: number): void {
    if (count === 0) return;
    this.#options.onDropped(what, count);
    if (!this.#isDropping)
      this.#options.logger.error({ what }, 'Dropped messages: the buffer for the database is full');
    this.#isDropping = true;
  }
}
