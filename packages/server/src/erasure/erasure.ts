import { randomUUID } from 'node:crypto';
import { erasedHeader, storableText, type TopicNames } from '@loopwatch/contract';
import type { Erasure as ErasureResult } from '@loopwatch/contract/api';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
import { atMost } from '@loopwatch/platform';
import { type Database, scrubDatabase } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.ts';
import type { ServerLog } from '../feed/feeds.ts';
import { HttpProblem } from '../http/problem.ts';
import { erasedTables, eraseRows, incidentsOf } from '../retention/erase-rows.ts';
import { lockChanges } from '../storage/change-lock.ts';
import { erasedRecords } from './erased-records.ts';
import { type PendingErasure, pendingErasures, removePending, storePending } from './pending-erasures.ts';
import { remaining } from './remaining.ts';
import { storedAmong, withSubAgents } from './select-sessions.ts';

/** Sessions per transaction. */
const BATCH = 500;
/** How long the worker of this process may take to forget the sessions. */
const MARKS_MS = 10_000;

export interface SessionErasureOptions {
  readonly database: Database;
  readonly sink: Pick<RecordSink, 'publish'>;
  readonly topics: TopicNames;
  readonly log: Pick<ServerLog, 'kind' | 'erase'>;
  readonly audit: Pick<AuditLog, 'add'>;
  readonly logger: Logger;
  /** Called when sessions are gone: what is in memory of them has to go, too. */
  readonly onErased: (sessionIds: readonly string[]) => void;
}

/** What to record in the audit log. */
export type ErasureRequest = Pick<PendingErasure, 'subject' | 'by'>;

/** The topics in which a worker marks that it has forgotten a session. */
export type MarkedTopic = 'verdicts' | 'sessions';

/**
 * Erases sessions. A tombstone in the `events` topic makes the worker forget a session, and mark in its output topics that what
 * came before is erased; servers delete it again when they read the mark, so nothing that was on its way comes back. Events that
 * arrive after the tombstone begin a new session.
 *
 * What is to be erased is stored first, because neither the rows nor the log tell it once the other is erased. A repeat or the
 * next start finishes an erasure that failed or was interrupted.
 */
export class SessionErasure {
  readonly #options: SessionErasureOptions;
  readonly #awaited = new Map<string, () => void>();
  /** The embedded files are rewritten by one erasure at a time. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: SessionErasureOptions) {
    this.#options = options;
  }

  /** @throws HttpProblem 503 when the log is unavailable; nothing has changed then */
  erase(sessionIds: readonly string[], request: ErasureRequest): Promise<ErasureResult> {
    const erased = this.#running.then(() => this.#erase(sessionIds, request));
    this.#running = erased.catch(() => undefined);
    return erased;
  }

  /** Finishes what a stop has interrupted, in the background. Call once the log can be written. */
  resume(): void {
    const { database, logger } = this.#options;
    const resumed = this.#running.then(async () => {
      for (const pending of await pendingErasures(database)) await this.#finish(pending, true);
    });
    this.#running = resumed.catch((err: unknown) => {
      logger.warn({ err }, 'Finishing an erasure failed; the next start, or the same request, tries again');
    });
  }

  /** Call when the marks of these sessions were read from a topic. */
  onMarks(topic: MarkedTopic, sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#awaited.get(`${topic}/${id}`)?.();
    if (sessionIds.length > 0) this.#options.onErased(sessionIds);
  }

  async #erase(requested: readonly string[], request: ErasureRequest): Promise<ErasureResult> {
    const { database } = this.#options;
    const begun = (await pendingErasures(database)).find(({ subject }) => subject === request.subject);
    const ids = await withSubAgents(database, requested);
    const pending: PendingErasure = {
      ...request,
      id: begun?.id ?? randomUUID(),
      sessionIds: union(begun?.sessionIds, ids),
      storedIds: union(begun?.storedIds, await storedAmong(database, ids)),
      incidentIds: union(begun?.incidentIds, await incidentsOf(database, ids)),
    };
    await storePending(database, pending);
    return this.#finish(pending, begun !== undefined);
  }

  async #finish(pending: PendingErasure, hasBegun: boolean): Promise<ErasureResult> {
    const { database, topics, log, audit, onErased } = this.#options;
    const { id, subject, by, sessionIds, storedIds, incidentIds } = pending;
    let messages = 0;
    for (let at = 0; at < sessionIds.length; at += BATCH) {
      const batch = sessionIds.slice(at, at + BATCH);
      const marked = log.erase === undefined ? Promise.resolve() : this.#marks(batch);
      try {
        await this.#publish(batch, at === 0 ? incidentIds : []);
      } catch (error) {
        if (at === 0 && !hasBegun) await removePending(database, id);
        throw error;
      }
      messages += await this.#deleteRows(batch);
      await atMost(marked, MARKS_MS);
      onErased(batch);
    }
    const found = new Set(storedIds);
    const isErased = erasedRecords(topics, pending, (sessionId) => found.add(sessionId));
    const records = (await log.erase?.(isErased)) ?? null;
    await scrubDatabase(database, erasedTables);
    const counts = { sessions: found.size, incidents: incidentIds.length, messages, records };
    await database.transaction(async (tx) => {
      if (await removePending(tx, id)) await audit.add(tx, by, 'session.erased', subject, counts);
    });
    return { ...counts, remains: remaining(log.kind, database.kind, topics) };
  }

  async #publish(ids: readonly string[], incidentIds: readonly string[]): Promise<void> {
    const { sink, topics } = this.#options;
    const headers = { [erasedHeader]: Buffer.from('1') };
    const tombstones: OutputRecord[] = [
      ...ids.map((key) => ({ topic: topics.events, key, value: null, headers })),
      // Gateways follow this topic, and forget the session.
      ...ids.map((id) => ({ topic: topics.control, key: `session:${id}`, value: null, headers })),
      ...incidentIds.map((key) => ({ topic: topics.triage, key, value: null, headers })),
    ];
    try {
      await sink.publish(tombstones);
    } catch (error) {
      throw new HttpProblem(503, 'Could not write the erasure to the event log; retry', {}, error);
    }
  }

  /** @returns how many messages */
  #deleteRows(ids: readonly string[]): Promise<number> {
    return this.#options.database.transaction(async (tx) => {
      await lockChanges(tx);
      return eraseRows(tx, ids);
    });
  }

  /** Resolves once the worker has forgotten the sessions, and what it wrote about them is read. */
  async #marks(ids: readonly string[]): Promise<void> {
    const names = ids.map(storableText).flatMap((id) => [`verdicts/${id}`, `sessions/${id}`]);
    await Promise.all(
      names.map(
        (name) =>
          new Promise<void>((resolve) => {
            this.#awaited.set(name, () => {
              this.#awaited.delete(name);
              resolve();
            });
          }),
      ),
    );
  }
}

function union(some: readonly string[] = [], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}
