import { inSpan } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import type { GatewaySession } from '../session/gateway-session.ts';
import { type DatabaseLink, isUnavailable } from './database-link.ts';
import { type MessageRow, storeMessages } from './message-rows.ts';
import { insertReplies, type ReplyRow } from './reply-rows.ts';
import { type SessionRow, storeSessions, storeSettings } from './session-rows.ts';

/** Interval between writes; rows added meanwhile are batched. */
const PAUSE_MS = 250;
/** Under load, the interval is this many times as long as a write takes: requests need the processor, too. */
const PAUSE_SHARE = 4;
/** Rows of each kind in one write. */
const MAX_BATCH = 2_000;

/** Kinds of buffered rows: a metric label. */
export type RowKind = 'session' | 'reply' | 'message';

export interface WriteBehindOptions {
  readonly link: DatabaseLink;
  /** Id of this gateway, the owner of its sessions. */
  readonly owner: string;
  /** Upper bounds of buffered rows, by kind. */
  readonly limits: Readonly<Record<RowKind, number>>;
  readonly logger: Logger;
  readonly onDropped: (what: RowKind, count: number) => void;
  readonly onStored: (id: string) => void;
  /** Called for a session that another gateway owns by now. */
  readonly onLost: (session: GatewaySession) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Writes to the database in the background, so that requests never wait for it. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #sessions = new Map<string, GatewaySession>();
  #replies: ReplyRow[] = [];
  #messages: MessageRow[] = [];
  readonly #knownSettings = new Set<string>();
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
    return this.#sessions.size + this.#replies.length + this.#messages.length;
  }

  addSession(session: GatewaySession): void {
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > this.#options.limits.session && oldest !== undefined) {
      this.#sessions.delete(oldest);
      this.#drop('session', 1);
    }
    this.#schedule();
  }

  addReply(row: ReplyRow): void {
    this.#replies.push(row);
    this.#trim('reply', this.#replies);
    this.#schedule();
  }

  addMessages(rows: readonly MessageRow[]): void {
    if (rows.length === 0) return;
    this.#messages.push(...rows);
    this.#trim('message', this.#messages);
    this.#schedule();
  }

  hasSession(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Resolves when the buffered rows were written, or writing failed. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#write();
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
    if (rows > 0) this.#options.logger.error({ rows }, 'Dropped sessions and messages: database unavailable');
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
    const { link, logger, onStored, onLost } = this.#options;
    if (this.size === 0 || !link.isUp) return;
    const sessions = [...this.#sessions.values()].slice(0, MAX_BATCH);
    for (const { id } of sessions) this.#sessions.delete(id);
    const replies = this.#replies.splice(0, MAX_BATCH);
    const messages = this.#messages.splice(0, MAX_BATCH);
    this.#inFlight = sessions.length + replies.length + messages.length;
    try {
      const rows = sessions.map((session) => this.#rowOf(session));
      const versions = this.#newSettings(sessions);
      const attributes = {
        'loopwatch.write.sessions': sessions.length,
        'loopwatch.write.replies': replies.length,
        'loopwatch.write.messages': messages.length,
      };
      const stored = await inSpan('store sessions', { attributes, root: true }, () =>
        link.use('save', (database) =>
          database.transaction(async (tx) => {
            await storeSettings(tx, versions);
            await insertReplies(tx, replies);
            await storeMessages(tx, messages);
            return storeSessions(tx, rows);
          }),
        ),
      );
      for (const { hash } of versions) this.#knownSettings.add(hash);
      for (const session of sessions) {
        if (stored.has(session.id)) onStored(session.id);
        else onLost(session);
      }
      this.#isDropping = false;
    } catch (error) {
      if (!isUnavailable(error)) {
        logger.error({ err: error }, 'Storing sessions and messages failed; dropped them');
        this.#drop('session', sessions.length);
        this.#drop('reply', replies.length);
        this.#drop('message', messages.length);
        return;
      }
      for (const session of sessions)
        if (!this.#sessions.has(session.id)) this.#sessions.set(session.id, session);
      this.#replies = [...replies, ...this.#replies];
      this.#messages = [...messages, ...this.#messages];
      this.#trim('reply', this.#replies);
      this.#trim('message', this.#messages);
    } finally {
      this.#inFlight = 0;
    }
  }

  #rowOf(session: GatewaySession): SessionRow {
    return {
      id: session.id,
      owner: this.#options.owner,
      settings: session.version.hash,
      state: JSON.stringify(session.snapshot()),
      expires_at: this.#options.now() + session.idleMs,
    };
  }

  #newSettings(sessions: readonly GatewaySession[]) {
    const versions = new Map(sessions.map(({ version }) => [version.hash, version.settings]));
    return [...versions]
      .filter(([hash]) => !this.#knownSettings.has(hash))
      .map(([hash, settings]) => ({ hash, doc: JSON.stringify(settings), used_at: this.#options.now() }));
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
      this.#options.logger.error(
        { what },
        'Dropped sessions and messages: the buffer for the database is full',
      );
    this.#isDropping = true;
  }
}
