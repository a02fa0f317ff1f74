import type { Settings } from '@loopwatch/contract';
import { maskPatterns, maskSecrets, type PastUsage } from '@loopwatch/detectors/internal';
import { atMost, delay } from '@loopwatch/platform';
import { type Database, dismissedAmong } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { parseObject } from '../api/json.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { ErasedSession } from '../session/erased-session.ts';
import type { SyntheticExchange } from '../session/session-store.ts';
import type { Message } from '../session/transcript.ts';
import { DatabaseLink } from './database-link.ts';
import { eraseSessions } from './erase-sessions.ts';
import type { MessagePrivacy } from './message-rows.ts';
import { type ReplyRow, replyById } from './reply-rows.ts';
import { applyRetention } from './retention.ts';
import { type UsageQuery, usageOf } from './usage-rows.ts';
import { WriteBehind } from './write-behind.ts';

/** How long a request waits for the database before it continues without. */
const REQUEST_TIMEOUT_MS = 1_000;
/** How long one waits while the database is opened. */
const OPEN_TIMEOUT_MS = 10_000;
const RETENTION_INTERVAL_MS = 60_000;
/** How long buffered rows may take to be written at the end. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Pauses between lookups of a reply that is not stored yet. */
const REPLY_PAUSES_MS = [50, 100, 150, 200];

export interface GatewayStorageOptions {
  readonly open: () => Promise<Database>;
  readonly settings: Pick<Settings, 'gateway' | 'storage' | 'privacy'>;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** A reply that a request may continue from. */
export interface StoredReply {
  readonly sessionId: string;
  /** Only of a synthetic reply. */
  readonly synthetic?: SyntheticExchange;
}

/** Replies and messages in the database. They are written in the background, so that no request waits for them. */
export class GatewayStorage {
  readonly #options: GatewayStorageOptions;
  readonly #link: DatabaseLink;
  readonly #writes: WriteBehind;
  readonly #privacy: MessagePrivacy;
  #opening: Promise<void> | undefined;
  #retentionTimer: NodeJS.Timeout | undefined;

  constructor(options: GatewayStorageOptions) {
    this.#options = options;
    const { open, metrics, logger, settings } = options;
    const { max_buffered_records: records } = settings.gateway;
    this.#link = new DatabaseLink({
      open,
      logger,
      onUp: () => {
        this.#writes.resume();
      },
      onFailure: (work) => {
        metrics.storageFailures.inc({ work });
      },
    });
    const { mask, store_text: storeText } = settings.privacy;
    this.#privacy = { mask: maskPatterns(mask), storeText };
    this.#writes = new WriteBehind({
      link: this.#link,
      logger,
      privacy: this.#privacy,
      limits: { reply: records, message: records },
      onDropped: (what, count) => {
        metrics.storageDropped.inc({ what }, count);
      },
    });
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    return this.#link.health;
  }

  /** Rows waiting to be written. */
  get waiting(): number {
    return this.#writes.size;
  }

  async start(): Promise<void> {
    this.#opening = this.#link.start();
    await this.#opening;
    this.#retentionTimer = setInterval(() => {
      this.applyRetention().catch(() => undefined);
    }, RETENTION_INTERVAL_MS);
    this.#retentionTimer.unref();
  }

  /** Writes buffered rows, if the database is available. */
  async stop(): Promise<void> {
    clearInterval(this.#retentionTimer);
    await atMost(this.#writes.close(), CLOSE_TIMEOUT_MS);
    this.#writes.logUnwritten();
    await atMost(this.#link.close(), REQUEST_TIMEOUT_MS);
  }

  /** Deletes expired and surplus rows. */
  async applyRetention(): Promise<void> {
    const { storage } = this.#options.settings;
    const limits = {
      retentionDays: storage.retention_days,
      retentionMegabytes: storage.retention_megabytes,
    };
    await this.#link.use('retention', (database) => applyRetention(database, limits, this.#options.now()));
  }

  /** Deletes what was stored of sessions until they were erased. */
  async erase(erased: readonly ErasedSession[]): Promise<void> {
    await this.#writes.drop(erased.map(({ id }) => id));
    await this.#link.use('erase', (database) => eraseSessions(database, erased));
  }

  addMessages(sessionId: string, messages: readonly Message[]): void {
    if (!this.#options.settings.gateway.store_messages) return;
    const now = this.#options.now();
    this.#writes.addMessages(messages.map((message) => ({ sessionId, message, at: now })));
  }

  addReply(id: string, sessionId: string, synthetic?: SyntheticExchange): void {
    const request = synthetic === undefined ? null : JSON.stringify(synthetic.request);
    // A masked request could not be continued: one with secrets stays in the memory of this gateway.
    const { mask, storeText } = this.#privacy;
    const mayStore = request !== null && storeText && maskSecrets(request, mask) === request;
    this.#writes.addReply({
      id,
      session_id: sessionId,
      request: mayStore ? request : null,
      response: mayStore ? (synthetic?.text ?? null) : null,
      at: this.#options.now(),
    });
  }

  /** Looks up a reply that is not in memory. */
  async reply(id: string): Promise<StoredReply | undefined> {
    if (!this.#link.isUp) return undefined;
    try {
      const row = await this.#link.use(
        'load',
        (database) => this.#findReply(database, id),
        REQUEST_TIMEOUT_MS,
      );
      if (row === undefined) return undefined;
      const { session_id: sessionId, request, response } = row;
      const json = request === null ? undefined : parseObject(request);
      return {
        sessionId,
        ...(json !== undefined && response !== null && { synthetic: { request: json, text: response } }),
      };
    } catch {
      return undefined;
    }
  }

  /** What a session that is not in memory has used; undefined if that is unknown. */
  async usage(query: Omit<UsageQuery, 'now'>): Promise<PastUsage | undefined> {
    if (this.#opening !== undefined) await atMost(this.#opening, OPEN_TIMEOUT_MS);
    if (!this.#link.isUp) return undefined;
    await atMost(this.#writes.written(query.sessionId), REQUEST_TIMEOUT_MS);
    const now = this.#options.now();
    return this.#link
      .use('load', (database) => usageOf(database, { ...query, now }), REQUEST_TIMEOUT_MS)
      .catch(() => undefined);
  }

  /** Which of these incidents a person has muted or marked as false positives; undefined if that is unknown. */
  async dismissed(incidentIds: readonly string[]): Promise<readonly string[] | undefined> {
    if (!this.#link.isUp) return undefined;
    const { now } = this.#options;
    return this.#link
      .use('load', (database) => dismissedAmong(database, incidentIds, now()), REQUEST_TIMEOUT_MS)
      .catch(() => undefined);
  }

  /** Retries, because the gateway that gave the reply may be about to write it. */
  async #findReply(database: Database, id: string): Promise<ReplyRow | undefined> {
    for (const pauseMs of database.kind === 'pglite' ? [] : REPLY_PAUSES_MS) {
      const row = await replyById(database, id);
      if (row !== undefined) return row;
      await delay(pauseMs);
    }
    return replyById(database, id);
  }
}
