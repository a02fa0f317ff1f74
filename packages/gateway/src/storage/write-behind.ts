import type { Logger } from 'pino';
import type { GatewaySession } from '../session/gateway-session.ts';
import { type AnswerRow, keepAnswers } from './answer-rows.ts';
import { type DatabaseLink, isAway } from './database-link.ts';
import { type MessageRow, storeMessages } from './message-rows.ts';
import { keepSessions, keepSettings, type SessionRow } from './session-rows.ts';

/** From one write to the next: what comes meanwhile goes together. */
const PAUSE_MS = 250;
/** Rows of each kind in one write, at most. */
const BATCH = 500;

/** What may be lost where the database is away for too long: a label of metrics. */
export type Stored = 'session' | 'answer' | 'message';

export interface WriteBehindOptions {
  readonly link: DatabaseLink;
  /** This gateway, as the owner of what it keeps. */
  readonly owner: string;
  /** Of each kind, at most, while nothing can be written. */
  readonly limits: Readonly<Record<Stored, number>>;
  readonly logger: Logger;
  readonly onDropped: (what: Stored, count: number) => void;
  readonly onKept: (id: string) => void;
  /** A session that another gateway has by now. */
  readonly onLost: (session: GatewaySession) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** What is on its way to the database. No request waits for it. */
export class WriteBehind {
  private readonly options: WriteBehindOptions;
  private readonly sessions = new Map<string, GatewaySession>();
  private answers: AnswerRow[] = [];
  private messages: MessageRow[] = [];
  private readonly knownSettings = new Set<string>();
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wroteAt = -PAUSE_MS;
  private dropping = false;

  constructor(options: WriteBehindOptions) {
    this.options = options;
  }

  /** Of the write at hand. */
  private underWay = 0;

  /** Rows that wait. */
  get size(): number {
    return this.sessions.size + this.answers.length + this.messages.length;
  }

  session(session: GatewaySession): void {
    this.sessions.delete(session.id);
    this.sessions.set(session.id, session);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > this.options.limits.session && oldest !== undefined) {
      this.sessions.delete(oldest);
      this.drop('session', 1);
    }
    this.schedule();
  }

  answer(row: AnswerRow): void {
    this.answers.push(row);
    this.trim('answer', this.answers);
    this.schedule();
  }

  message(rows: readonly MessageRow[]): void {
    if (rows.length === 0) return;
    this.messages.push(...rows);
    this.trim('message', this.messages);
    this.schedule();
  }

  has(id: string): boolean {
    return this.sessions.has(id);
  }

  /** Resolves when what is there now has been written, or could not be. */
  async flush(): Promise<void> {
    await this.writing;
    await this.write();
  }

  /** Writes what there is, as long as that is possible. */
  async close(): Promise<void> {
    await this.flush();
    while (this.size > 0 && this.options.link.isUp) await this.flush();
    clearTimeout(this.timer);
  }

  /** Says what is not written at the end. */
  noteLost(): void {
    const rows = this.size + this.underWay;
    if (rows > 0) this.options.logger.error({ rows }, 'Sessions and messages are lost: the database is away');
  }

  /** Goes on when the database can be used again. */
  resume(): void {
    this.schedule();
  }

  private schedule(): void {
    if (this.timer !== undefined || this.writing !== undefined || !this.options.link.isUp) return;
    const delay = Math.max(0, this.wroteAt + PAUSE_MS - performance.now());
    this.timer = setTimeout(() => void this.write(), delay);
    this.timer.unref();
  }

  private write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeBatch().finally(() => {
      this.writing = undefined;
      this.wroteAt = performance.now();
      if (this.size > 0) this.schedule();
    });
    return this.writing;
  }

  private async writeBatch(): Promise<void> {
    const { link, logger, onKept, onLost } = this.options;
    if (this.size === 0 || !link.isUp) return;
    const sessions = [...this.sessions.values()].slice(0, BATCH);
    for (const { id } of sessions) this.sessions.delete(id);
    const answers = this.answers.splice(0, BATCH);
    const messages = this.messages.splice(0, BATCH);
    this.underWay = sessions.length + answers.length + messages.length;
    try {
      const rows = sessions.map((session) => this.rowOf(session));
      const versions = this.newSettings(sessions);
      const kept = await link.use('save', (database) =>
        database.transaction(async (tx) => {
          await keepSettings(tx, versions);
          await keepAnswers(tx, answers);
          await storeMessages(tx, messages);
          return keepSessions(tx, rows);
        }),
      );
      for (const { hash } of versions) this.knownSettings.add(hash);
      for (const session of sessions) {
        if (kept.has(session.id)) onKept(session.id);
        else onLost(session);
      }
      this.dropping = false;
    } catch (error) {
      if (!isAway(error)) {
        logger.error({ err: error }, 'Sessions and messages could not be stored, and are left out');
        this.drop('session', sessions.length);
        this.drop('answer', answers.length);
        this.drop('message', messages.length);
        return;
      }
      for (const session of sessions)
        if (!this.sessions.has(session.id)) this.sessions.set(session.id, session);
      this.answers = [...answers, ...this.answers];
      this.messages = [...messages, ...this.messages];
      this.trim('answer', this.answers);
      this.trim('message', this.messages);
    } finally {
      this.underWay = 0;
    }
  }

  private rowOf(session: GatewaySession): SessionRow {
    return {
      id: session.id,
      owner: this.options.owner,
      settings: session.version.hash,
      state: JSON.stringify(session.snapshot()),
      expires_at: this.options.now() + session.idleMs,
    };
  }

  private newSettings(sessions: readonly GatewaySession[]) {
    const versions = new Map(sessions.map(({ version }) => [version.hash, version.settings]));
    return [...versions]
      .filter(([hash]) => !this.knownSettings.has(hash))
      .map(([hash, settings]) => ({ hash, doc: JSON.stringify(settings), used_at: this.options.now() }));
  }

  private trim(what: Stored, rows: unknown[]): void {
    const excess = rows.length - this.options.limits[what];
    if (excess <= 0) return;
    rows.splice(0, excess);
    this.drop(what, excess);
  }

  private drop(what: Stored, count: number): void {
    if (count === 0) return;
    this.options.onDropped(what, count);
    if (!this.dropping)
      this.options.logger.error(
        { what },
        'Sessions and messages are lost: more wait for the database than may be kept',
      );
    this.dropping = true;
  }
}
