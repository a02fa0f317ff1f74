import { type DetectionSettings, detectionSchema, messageOf, type Settings } from '@loopwatch/contract';
import { maskPatterns, maskSecrets } from '@loopwatch/detectors';
import type { SettingsVersion } from '@loopwatch/pipeline';
import { atMost, delay } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Json } from '../api/conversation.ts';
import { parseObject } from '../api/json.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySession } from '../session/gateway-session.ts';
import { type KeptSession, keptSessionOf } from '../session/kept-session.ts';
import type { Message } from '../session/transcript.ts';
import { type AnswerRow, answerById } from './answer-rows.ts';
import { DatabaseLink } from './database-link.ts';
import { Handover } from './handover.ts';
import { type MessagePrivacy, messageRow } from './message-rows.ts';
import {
  giveSession,
  giveSessions,
  type SessionRow,
  sessionIds,
  settingsByHash,
  takeSession,
} from './session-rows.ts';
import { tidyUp } from './tidy-up.ts';
import { WriteBehind } from './write-behind.ts';

/** A request waits for the database this long, at most; then it goes on without. */
const PATIENCE_MS = 1_000;
const TIDY_MS = 60_000;
/** What waits at the end is written within this time. */
const CLOSING_MS = 5_000;
/** An answer that is not there yet is looked for again. */
const ANSWER_PAUSES_MS = [50, 100, 150, 200];

export interface GatewayStorageOptions {
  readonly open: () => Promise<Database>;
  /** This gateway among those that share the database. */
  readonly me: string;
  readonly settings: Pick<Settings, 'gateway' | 'storage' | 'privacy' | 'session'>;
  readonly versionOf: (settings: DetectionSettings) => SettingsVersion;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** The session in memory. */
  readonly held: (id: string) => GatewaySession | undefined;
  /** Another gateway has the session, or is to have it: memory forgets it. */
  readonly drop: (session: GatewaySession) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** A session as another gateway, or this one before, left it. */
export interface StoredSession {
  readonly kept: KeptSession;
  /** The settings it was watched by. */
  readonly version: SettingsVersion;
}

/** An answer that a request may go on from. */
export interface StoredAnswer {
  readonly sessionId: string;
  /** Of an answer of the gateway's own: what it answered, and how. */
  readonly own?: { readonly request: Json; readonly told: string };
}

/**
 * Sessions, answers and messages in the database. A session is one gateway's at a time: that one has it in memory, and
 * gives it to another when asked. What has changed is written behind the answers, so that no request waits for it.
 */
export class GatewayStorage {
  private readonly options: GatewayStorageOptions;
  private readonly link: DatabaseLink;
  private readonly behind: WriteBehind;
  private readonly handover: Handover;
  private readonly privacy: MessagePrivacy;
  /** Sessions in a database that is this process's alone: nothing is known of others. */
  private known: Set<string> | undefined;
  private readonly loading = new Map<string, Promise<StoredSession | undefined>>();
  private tidying: NodeJS.Timeout | undefined;

  constructor(options: GatewayStorageOptions) {
    this.options = options;
    const { me, open, metrics, logger, settings, drop, now } = options;
    const { max_sessions: sessions, max_buffered_records: records } = settings.gateway;
    this.link = new DatabaseLink({
      open,
      logger,
      prepare: (database) => this.prepare(database),
      onUp: () => {
        this.behind.resume();
      },
      onFailure: (work) => {
        metrics.storageFailures.inc({ work });
      },
    });
    this.behind = new WriteBehind({
      link: this.link,
      owner: me,
      logger,
      now,
      limits: { session: sessions, answer: records, message: records },
      onDropped: (what, count) => {
        metrics.storageDropped.inc({ what }, count);
      },
      onKept: (id) => {
        this.known?.add(id);
      },
      onLost: (session) => {
        logger.warn({ sessionId: session.id }, 'A session went on in another gateway meanwhile');
        drop(session);
      },
    });
    this.handover = new Handover(me, (id) => this.give(id));
    const { mask, store_text: storeText } = settings.privacy;
    this.privacy = { mask: maskPatterns(mask), storeText };
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    return this.link.health;
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    return this.behind.size;
  }

  async start(): Promise<void> {
    await this.link.start();
    this.tidying = setInterval(() => {
      this.tidy().catch(() => undefined);
    }, TIDY_MS);
    this.tidying.unref();
  }

  /** Writes what waits, and gives up all sessions, as long as the database answers. */
  async stop(): Promise<void> {
    clearInterval(this.tidying);
    await atMost(this.behind.close(), CLOSING_MS);
    this.behind.noteLost();
    await atMost(this.handover.stop(), PATIENCE_MS);
    await this.link
      .use('hand_over', (database) => giveSessions(database, this.options.me), PATIENCE_MS)
      .catch(() => undefined);
    await atMost(this.link.close(), PATIENCE_MS);
  }

  /** Removes what is too old or too much. */
  async tidy(): Promise<void> {
    const { storage } = this.options.settings;
    const limits = {
      retentionDays: storage.retention_days,
      retentionMegabytes: storage.retention_megabytes,
    };
    await this.link.use('retention', (database) => tidyUp(database, limits, this.options.now()));
  }

  /** A session that is not in memory, this gateway's from now on. @returns undefined where nothing is known of it */
  load(id: string): Promise<StoredSession | undefined> {
    let loading = this.loading.get(id);
    if (loading === undefined) {
      loading = this.loadOnce(id)
        .catch((error: unknown) => {
          this.options.logger.warn(
            { sessionId: id, error: messageOf(error) },
            'A session could not be loaded; it begins with the history of the request',
          );
          return undefined;
        })
        .finally(() => this.loading.delete(id));
      this.loading.set(id, loading);
    }
    return loading;
  }

  changed(session: GatewaySession): void {
    if (!session.isGiven && session.isWorthKeeping) this.behind.session(session);
  }

  messages(sessionId: string, messages: readonly Message[]): void {
    if (!this.options.settings.gateway.store_messages) return;
    const now = this.options.now();
    this.behind.message(messages.map((message) => messageRow(sessionId, message, this.privacy, now)));
  }

  noteAnswer(id: string, sessionId: string, own?: { readonly request: Json; readonly told: string }): void {
    const request = own === undefined ? null : JSON.stringify(own.request);
    // It has to go on as it is: what may not be stored is known to this gateway alone, for as long as it runs.
    const { mask, storeText } = this.privacy;
    const mayStore = request !== null && storeText && maskSecrets(request, mask) === request;
    this.behind.answer({
      id,
      session_id: sessionId,
      request: mayStore ? request : null,
      told: mayStore ? (own?.told ?? null) : null,
      at: this.options.now(),
    });
  }

  /** An answer that this gateway does not know. */
  async answer(id: string): Promise<StoredAnswer | undefined> {
    if (!this.link.isUp) return undefined;
    try {
      const row = await this.link.use('load', (database) => this.awaitAnswer(database, id), PATIENCE_MS);
      if (row === undefined) return undefined;
      const { session_id: sessionId, request, told } = row;
      const json = request === null ? undefined : parseObject(request);
      return {
        sessionId,
        ...(json !== undefined && told !== null && { own: { request: json, told } }),
      };
    } catch {
      return undefined;
    }
  }

  /** Another gateway that gave it may be about to write it. */
  private async awaitAnswer(database: Database, id: string): Promise<AnswerRow | undefined> {
    for (const pauseMs of database.kind === 'pglite' ? [] : ANSWER_PAUSES_MS) {
      const row = await answerById(database, id);
      if (row !== undefined) return row;
      await delay(pauseMs);
    }
    return answerById(database, id);
  }

  private async prepare(database: Database): Promise<void> {
    // The embedded database is this process's alone: whoever had sessions is gone.
    if (database.kind === 'pglite') {
      await giveSessions(database);
      this.known ??= new Set(await sessionIds(database));
    } else await this.handover.listen(database);
  }

  private async loadOnce(id: string): Promise<StoredSession | undefined> {
    if (!this.link.isUp) return undefined;
    // Out of memory already, and not written yet.
    if (this.behind.has(id)) await this.behind.flush();
    if (this.known?.has(id) === false) return undefined;
    const row = await this.link.use('load', (database) => this.take(database, id), PATIENCE_MS);
    if (row.state === '' || row.expires_at <= this.options.now()) return undefined;
    const version = await this.versionBy(row.settings);
    const kept = keptSessionOf(parseObject(row.state));
    return version && kept && { kept, version };
  }

  private async take(database: Database, id: string): Promise<SessionRow> {
    const { me, now, settings } = this.options;
    const expires = now() + settings.session.idle_seconds * 1000;
    let row: SessionRow | undefined;
    const attempt = async (): Promise<string> => {
      row = await takeSession(database, { id, owner: me, expires_at: expires }, this.handover.gone);
      return row.owner;
    };
    for (;;) {
      const owner = await attempt();
      if (owner === me && row !== undefined) return row;
      await this.handover.ask(database, id, owner, attempt);
      if (row?.owner === me) return row;
    }
  }

  private async versionBy(hash: string): Promise<SettingsVersion | undefined> {
    const doc = await this.link.use('load', (database) => settingsByHash(database, hash), PATIENCE_MS);
    const settings = doc === undefined ? undefined : detectionSchema.safeParse(parseObject(doc));
    if (settings?.success !== true) return undefined;
    const version = this.options.versionOf(settings.data);
    return version.hash === hash ? version : undefined;
  }

  /** Another gateway asks for a session. */
  private async give(id: string): Promise<void> {
    const session = this.options.held(id);
    if (session !== undefined) {
      this.changed(session);
      session.isGiven = true;
      this.options.drop(session);
    }
    do await this.behind.flush();
    while (this.behind.has(id) && this.link.isUp);
    await this.link.use('hand_over', (database) => giveSession(database, id, this.options.me));
  }
}
