import { type DetectionSettings, detectionSchema, messageOf, type Settings } from '@loopwatch/contract';
import { maskPatterns, maskSecrets, type SettingsVersion } from '@loopwatch/detectors';
import { atMost, delay } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { parseObject } from '../api/json.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySession } from '../session/gateway-session.ts';
import { type GatewaySnapshot, readGatewaySnapshot } from '../session/session-snapshot.ts';
import type { SyntheticExchange } from '../session/session-store.ts';
import type { Message } from '../session/transcript.ts';
import { DatabaseLink } from './database-link.ts';
import { Handover } from './handover.ts';
import { type MessagePrivacy, messageRow } from './message-rows.ts';
import { type ReplyRow, replyById } from './reply-rows.ts';
import { applyRetention } from './retention.ts';
import {
  claimSession,
  releaseSession,
  releaseSessions,
  type SessionRow,
  sessionIds,
  settingsByHash,
} from './session-rows.ts';
import { WriteBehind } from './write-behind.ts';

/** How long a request waits for the database before it continues without. */
const REQUEST_TIMEOUT_MS = 1_000;
const RETENTION_INTERVAL_MS = 60_000;
/** How long buffered rows may take to be written at the end. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Pauses between lookups of a reply that is not stored yet. */
const REPLY_PAUSES_MS = [50, 100, 150, 200];

export interface GatewayStorageOptions {
  readonly open: () => Promise<Database>;
  /** Identifies this gateway among those that share the database. */
  readonly gatewayId: string;
  readonly settings: Pick<Settings, 'gateway' | 'storage' | 'privacy' | 'session'>;
  readonly versionOf: (settings: DetectionSettings) => SettingsVersion;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** Returns a session that is in memory. */
  readonly inMemory: (id: string) => GatewaySession | undefined;
  /** Removes a session from memory: another gateway owns it, or is about to. */
  readonly drop: (session: GatewaySession) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** A session as another gateway, or an earlier run, left it. */
export interface StoredSession {
  readonly snapshot: GatewaySnapshot;
  /** The settings it was analyzed with. */
  readonly version: SettingsVersion;
}

/** A reply that a request may continue from. */
export interface StoredReply {
  readonly sessionId: string;
  /** Only of a synthetic reply. */
  readonly synthetic?: SyntheticExchange;
}

/**
 * Sessions, replies and messages in the database. One gateway owns a session at a time: it has the session in memory, and
 * releases it when another one asks. Changes are written in the background, so that no request waits for them.
 */
export class GatewayStorage {
  readonly #options: GatewayStorageOptions;
  readonly #link: DatabaseLink;
  readonly #writes: WriteBehind;
  readonly #handover: Handover;
  readonly #privacy: MessagePrivacy;
  /** Ids of all stored sessions, if the database belongs to this process alone. */
  #storedIds: Set<string> | undefined;
  readonly #loading = new Map<string, Promise<StoredSession | undefined>>();
  #retentionTimer: NodeJS.Timeout | undefined;

  constructor(options: GatewayStorageOptions) {
    this.#options = options;
    const { gatewayId, open, metrics, logger, settings, drop, now } = options;
    const { max_sessions: sessions, max_buffered_records: records } = settings.gateway;
    this.#link = new DatabaseLink({
      open,
      logger,
      prepare: (database) => this.#prepare(database),
      onUp: () => {
        this.#writes.resume();
      },
      onFailure: (work) => {
        metrics.storageFailures.inc({ work });
      },
    });
    this.#writes = new WriteBehind({
      link: this.#link,
      owner: gatewayId,
      logger,
      now,
      limits: { session: sessions, reply: records, message: records },
      onDropped: (what, count) => {
        metrics.storageDropped.inc({ what }, count);
      },
      onStored: (id) => {
        this.#storedIds?.add(id);
      },
      onLost: (session) => {
        logger.warn({ sessionId: session.id }, 'Another gateway has taken over this session');
        drop(session);
      },
    });
    this.#handover = new Handover(gatewayId, (id) => this.#release(id));
    const { mask, store_text: storeText } = settings.privacy;
    this.#privacy = { mask: maskPatterns(mask), storeText };
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    return this.#link.health;
  }

  /** Rows waiting to be written. */
  get waiting(): number {
    return this.#writes.size;
  }

  async start(): Promise<void> {
    await this.#link.start();
    this.#retentionTimer = setInterval(() => {
      this.applyRetention().catch(() => undefined);
    }, RETENTION_INTERVAL_MS);
    this.#retentionTimer.unref();
  }

  /** Writes buffered rows and releases all sessions, if the database is available. */
  async stop(): Promise<void> {
    clearInterval(this.#retentionTimer);
    await atMost(this.#writes.close(), CLOSE_TIMEOUT_MS);
    this.#writes.logUnwritten();
    await atMost(this.#handover.stop(), REQUEST_TIMEOUT_MS);
    await this.#link
      .use('hand_over', (database) => releaseSessions(database, this.#options.gatewayId), REQUEST_TIMEOUT_MS)
      .catch(() => undefined);
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

  /** Claims and loads a session that is not in memory. @returns undefined if it is unknown */
  load(id: string): Promise<StoredSession | undefined> {
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = this.#loadOnce(id)
        .catch((error: unknown) => {
          this.#options.logger.warn(
            { sessionId: id, error: messageOf(error) },
            'Loading a session failed; it restarts from the history of the request',
          );
          return undefined;
        })
        .finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  sessionChanged(session: GatewaySession): void {
    if (!session.isHandedOver && session.isWorthStoring) this.#writes.addSession(session);
  }

  addMessages(sessionId: string, messages: readonly Message[]): void {
    if (!this.#options.settings.gateway.store_messages) return;
    const now = this.#options.now();
    this.#writes.addMessages(messages.map((message) => messageRow(sessionId, message, this.#privacy, now)));
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

  /** Retries, because the gateway that gave the reply may be about to write it. */
  async #findReply(database: Database, id: string): Promise<ReplyRow | undefined> {
    for (const pauseMs of database.kind === 'pglite' ? [] : REPLY_PAUSES_MS) {
      const row = await replyById(database, id);
      if (row !== undefined) return row;
      await delay(pauseMs);
    }
    return replyById(database, id);
  }

  async #prepare(database: Database): Promise<void> {
    // The embedded database belongs to this process: previous owners are gone.
    if (database.kind === 'pglite') {
      await releaseSessions(database);
      this.#storedIds ??= new Set(await sessionIds(database));
    } else await this.#handover.listen(database);
  }

  async #loadOnce(id: string): Promise<StoredSession | undefined> {
    if (!this.#link.isUp) return undefined;
    // It may have left memory without being written yet.
    if (this.#writes.hasSession(id)) await this.#writes.flush();
    if (this.#storedIds?.has(id) === false) return undefined;
    const row = await this.#link.use('load', (database) => this.#claim(database, id), REQUEST_TIMEOUT_MS);
    if (row.state === '' || row.expires_at <= this.#options.now()) return undefined;
    const version = await this.#versionBy(row.settings);
    const snapshot = readGatewaySnapshot(parseObject(row.state));
    return version && snapshot && { snapshot, version };
  }

  async #claim(database: Database, id: string): Promise<SessionRow> {
    const { gatewayId, now, settings } = this.#options;
    const expires = now() + settings.session.idle_seconds * 1000;
    let row: SessionRow | undefined;
    const attempt = async (): Promise<string> => {
      row = await claimSession(
        database,
        { id, owner: gatewayId, expires_at: expires },
        this.#handover.unresponsive,
      );
      return row.owner;
    };
    for (;;) {
      const owner = await attempt();
      if (owner === gatewayId && row !== undefined) return row;
      await this.#handover.request(database, id, owner, attempt);
      if (row?.owner === gatewayId) return row;
    }
  }

  async #versionBy(hash: string): Promise<SettingsVersion | undefined> {
    const doc = await this.#link.use(
      'load',
      (database) => settingsByHash(database, hash),
      REQUEST_TIMEOUT_MS,
    );
    const settings = doc === undefined ? undefined : detectionSchema.safeParse(parseObject(doc));
    if (settings?.success !== true) return undefined;
    const version = this.#options.versionOf(settings.data);
    return version.hash === hash ? version : undefined;
  }

  /** Another gateway requests a session. */
  async #release(id: string): Promise<void> {
    const session = this.#options.inMemory(id);
    if (session !== undefined) {
      this.sessionChanged(session);
      session.isHandedOver = true;
      this.#options.drop(session);
    }
    do await this.#writes.flush();
    while (this.#writes.hasSession(id) && this.#link.isUp);
    await this.#link.use('hand_over', (database) => releaseSession(database, id, this.#options.gatewayId));
  }
}
