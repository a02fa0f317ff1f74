import { backoff } from '@loopwatch/contract';
import type { Mute, MuteRecord, Triage, TriageChange, TriageRecord } from '@loopwatch/contract/api';
import { type RecordSink } from '@loopwatch/log';
import { delay } from '@loopwatch/platform';
import { type Database, jsonText } from '@loopwatch/storage';
import type { Logger } from 'pino';

export interface TriagePublisherOptions {
  readonly database: Database;
  readonly sink: RecordSink;
  readonly topic: string;
  readonly logger: Logger;
}

const BATCH_SIZE = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Publishes triage to its topic, so that a database can be rebuilt from the topics. Triage applies as soon as it is in the
 * database; while the log is unavailable, unpublished rows wait there.
 */
export class TriagePublisher {
  readonly #options: TriagePublisherOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isPending = false;

  constructor(options: TriagePublisherOptions) {
    this.#options = options;
  }

  /** Call when there may be something to publish. */
  wake(): void {
    this.#isPending = true;
    if (this.#stopping.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for the current batch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const isStopped = (): boolean => signal.aborted;
    for (let failures = 0; !isStopped() && this.#isPending; ) {
      this.#isPending = false;
      try {
        for (let published = BATCH_SIZE; published === BATCH_SIZE && !isStopped(); )
          published = Math.max(await this.#publishTriage(), await this.#publishMutes());
        failures = 0;
      } catch (err) {
        this.#isPending = true;
        const pauseMs = backoff(failures, 100, MAX_PAUSE_MS);
        failures += 1;
        this.#options.logger.warn({ err, retryMs: pauseMs }, 'Publishing triage failed; retrying');
        await delay(pauseMs, signal);
      }
    }
  }

  async #publishTriage(): Promise<number> {
    const { database, sink, topic } = this.#options;
    const rows = await database.query<{ id: string; revision: number; doc: Triage; history: TriageChange[] }>(
      `select incident_id as id, revision, doc, history from triage where published < revision
       order by at limit ${String(BATCH_SIZE)}`,
    );
    if (rows.length === 0) return 0;
    await sink.publish(
      rows.map(({ id, doc, history }) => {
        const record: TriageRecord = { v: 1, incidentId: id, triage: doc, history };
        return { topic, key: id, value: JSON.stringify(record) };
      }),
    );
    await database.query(
      `update triage set published = greatest(published, done.revision)
       from jsonb_to_recordset($1::jsonb) as done(id text, revision integer) where triage.incident_id = done.id`,
      [jsonText(rows.map(({ id, revision }) => ({ id, revision })))],
    );
    return rows.length;
  }

  async #publishMutes(): Promise<number> {
    const { database, sink, topic } = this.#options;
    const rows = await database.query<{ id: string; doc: Mute; removed: boolean }>(
      `select id, doc, removed from mutes where not published order by change limit ${String(BATCH_SIZE)}`,
    );
    if (rows.length === 0) return 0;
    await sink.publish(
      rows.map(({ id, doc, removed }) => {
        const record: MuteRecord = { v: 1, mute: doc, removed };
        return { topic, key: `mute:${id}`, value: JSON.stringify(record) };
      }),
    );
    await database.query(
      `update mutes set published = true from jsonb_to_recordset($1::jsonb) as done(id text, removed boolean)
       where mutes.id = done.id and mutes.removed = done.removed`,
      [jsonText(rows.map(({ id, removed }) => ({ id, removed })))],
    );
    return rows.length;
  }
}
