import type { Mute, MuteRecord, Triage, TriageChange, TriageRecord } from '@loopwatch/contract/api';
import { type RecordSink } from '@loopwatch/log';
import { backoff, delay } from '@loopwatch/platform';
import { type Database, jsonText } from '@loopwatch/storage';
import type { Logger } from 'pino';

export interface TriagePublisherOptions {
  readonly database: Database;
  readonly sink: RecordSink;
  readonly topic: string;
  readonly logger: Logger;
}

const batch = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Writes decisions to the `triage` topic, so that another database can be built from the topics. A decision counts as
 * soon as it is in the database; while the log cannot be reached, those not written yet wait there.
 */
export class TriagePublisher {
  private readonly options: TriagePublisherOptions;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private again = false;

  constructor(options: TriagePublisherOptions) {
    this.options = options;
  }

  /** There may be something to write. */
  wake(): void {
    this.again = true;
    if (this.stopping.signal.aborted) return;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const isStopped = (): boolean => signal.aborted;
    for (let failures = 0; !isStopped() && this.again; ) {
      this.again = false;
      try {
        for (let published = batch; published === batch && !isStopped(); )
          published = Math.max(await this.publishSome(), await this.publishMutes());
        failures = 0;
      } catch (err) {
        this.again = true;
        const pauseMs = backoff(failures, 100, MAX_PAUSE_MS);
        failures += 1;
        this.options.logger.warn(
          { err, pauseMs },
          'decisions about incidents are not in the log yet; tried again',
        );
        await delay(pauseMs, signal);
      }
    }
  }

  private async publishSome(): Promise<number> {
    const { database, sink, topic } = this.options;
    const rows = await database.query<{ id: string; revision: number; doc: Triage; history: TriageChange[] }>(
      `select incident_id as id, revision, doc, history from triage where published < revision
       order by at limit ${String(batch)}`,
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

  private async publishMutes(): Promise<number> {
    const { database, sink, topic } = this.options;
    const rows = await database.query<{ id: string; doc: Mute; removed: boolean }>(
      `select id, doc, removed from mutes where not published order by change limit ${String(batch)}`,
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
