import { erasedHeader, type TopicNames } from '@loopwatch/contract';
import type { Erasure as ErasureResult } from '@loopwatch/contract/api';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
import { atMost } from '@loopwatch/platform';
import { type Database, scrubDatabase } from '@loopwatch/storage';
import type { ServerLog } from '../feed/feeds.ts';
import { HttpProblem } from '../http/problem.ts';
import { type ErasedRows, erasedTables, eraseRows, incidentsOf } from '../retention/erase-rows.ts';
import { lockChanges } from '../storage/change-lock.ts';
import { erasedRecords } from './erased-records.ts';
import { remaining } from './remaining.ts';
import { withSubAgents } from './select-sessions.ts';

/** Sessions per transaction. */
const BATCH = 500;
/** How long the worker of this process may take to forget the sessions. */
const MARKS_MS = 10_000;

export interface SessionErasureOptions {
  readonly database: Database;
  readonly sink: Pick<RecordSink, 'publish'>;
  readonly topics: TopicNames;
  readonly log: Pick<ServerLog, 'kind' | 'erase'>;
  /** Called when sessions are gone: what is in memory of them has to go, too. */
  readonly onErased: (sessionIds: readonly string[]) => void;
}

/** The topics in which a worker marks that it has forgotten a session. */
export type MarkedTopic = 'verdicts' | 'sessions';

/**
 * Erases sessions. A tombstone in the `events` topic makes the worker forget a session, and mark in its output topics that what
 * came before is erased; servers delete it again when they read the mark, so nothing that was on its way comes back. Events that
 * arrive after the tombstone begin a new session.
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
  erase(sessionIds: readonly string[]): Promise<ErasureResult> {
    const erased = this.#running.then(() => this.#erase(sessionIds));
    this.#running = erased.catch(() => undefined);
    return erased;
  }

  /** Call when the marks of these sessions were read from a topic. */
  onMarks(topic: MarkedTopic, sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#awaited.get(`${topic}/${id}`)?.();
    if (sessionIds.length > 0) this.#options.onErased(sessionIds);
  }

  async #erase(requested: readonly string[]): Promise<ErasureResult> {
    const { database, topics, log, onErased } = this.#options;
    const ids = await withSubAgents(database, requested);
    const rows = { incidents: 0, messages: 0 };
    const incidentIds: string[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH);
      const incidents = await incidentsOf(database, batch);
      incidentIds.push(...incidents);
      const marked = log.erase === undefined ? Promise.resolve() : this.#marks(batch);
      await this.#publish(batch, incidents);
      const gone = await this.#deleteRows(batch);
      rows.incidents += gone.incidents;
      rows.messages += gone.messages;
      await atMost(marked, MARKS_MS);
      onErased(batch);
    }
    const records = (await log.erase?.(erasedRecords(topics, { sessionIds: ids, incidentIds }))) ?? null;
    await scrubDatabase(database, erasedTables);
    return {
      sessions: ids.length,
      ...rows,
      records,
      remains: remaining(log.kind, database.kind, topics),
    };
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

  #deleteRows(ids: readonly string[]): Promise<ErasedRows> {
    return this.#options.database.transaction(async (tx) => {
      await lockChanges(tx);
      return eraseRows(tx, ids);
    });
  }

  /** Resolves once the worker has forgotten the sessions, and what it wrote about them is read. */
  async #marks(ids: readonly string[]): Promise<void> {
    const names = ids.flatMap((id) => [`verdicts/${id}`, `sessions/${id}`]);
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
