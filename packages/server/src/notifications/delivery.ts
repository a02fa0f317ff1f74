import { backoff } from '@loopwatch/contract';
import type { IncidentItem } from '@loopwatch/contract/api';
import { delay } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { incidentItems } from '../incidents/read-incidents.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { limitOf, type NotificationChannel } from './channel.ts';
import { type DueRow, nextDueAt, postponeRows, readDueRows, settleRows } from './due-messages.ts';
import { messageId, type NotificationMessage, typeOf } from './message.ts';
import { DAY_MS } from './outbox.ts';
import type { SendContext, SendResult } from './post.ts';
import { acquireLease, readChannels, releaseLease } from './stored-channels.ts';

export interface DeliveryOptions {
  readonly channel: NotificationChannel;
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Pick<ServerMetrics, 'notifications'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** From 0 to 1; jitter of retries. */
  readonly random: () => number;
  /** Identifies this process. */
  readonly owner: string;
  /** URL of the dashboard. */
  readonly baseUrl: string;
  readonly send: (
    channel: NotificationChannel,
    message: NotificationMessage,
    context: SendContext,
  ) => Promise<SendResult>;
}

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** Polling detects changes that send no wake-up: a lease that expires, and a rate limit that resets. */
const POLL_MS = 5_000;

/**
 * Sends the messages to one receiver in sequence, so that an unavailable receiver delays no other. A message is
 * marked as sent after it was sent; if interrupted in between, it is sent again with the same id.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Call when there may be something to send. */
  wake(): void {
    this.#waking.abort();
  }

  /** Aborts the current message; another server sends it again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    const { database, channel, owner } = this.#options;
    await releaseLease(database, channel.name, owner).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const isStopped = (): boolean => signal.aborted;
    while (!isStopped()) {
      this.#waking = new AbortController();
      let pauseMs = POLL_MS;
      try {
        pauseMs = await this.step();
      } catch (err) {
        const { logger, channel } = this.#options;
        if (!isStopped())
          logger.warn({ err, notification: channel.name }, 'Database unavailable; messages are delayed');
      }
      if (pauseMs > 0) await delay(pauseMs, AbortSignal.any([signal, this.#waking.signal]));
    }
  }

  /** Sends the messages that are due. @returns ms until more may be due */
  async step(): Promise<number> {
    const { channel, database, now, owner } = this.#options;
    const { name } = channel;
    if (!(await acquireLease(database, name, owner, now()))) return POLL_MS;
    const [stored] = await readChannels(database, [name]);
    if (stored === undefined) return POLL_MS;
    if (stored.nextAt > now()) return Math.min(POLL_MS, stored.nextAt - now());
    const rows = await readDueRows(database, { name, limit: limitOf(channel), now: now() });
    for (const group of grouped(rows)) {
      if (this.#stopping.signal.aborted) return 0;
      if (!(await acquireLease(database, name, owner, now()))) return POLL_MS;
      if (!(await this.#deliver(group))) return 0;
    }
    if (rows.length > 0) return 0;
    const nextAt = await nextDueAt(database, name);
    return nextAt === null ? POLL_MS : Math.min(POLL_MS, Math.max(100, nextAt - now()));
  }

  /** @returns false when the receiver needs a pause */
  async #deliver(rows: readonly DueRow[]): Promise<boolean> {
    const { channel, database, now } = this.#options;
    const expired = rows.filter(({ due_since: since }) => since < now() - DAY_MS);
    if (expired.length > 0) {
      await this.#fail(expired, 'expired', 'not delivered within a day');
      return true;
    }
    const message = await this.#messageOf(rows);
    if (message === undefined) {
      await settleRows(database, channel.name, rows, { failed: null });
      return true;
    }
    const { send } = this.#options;
    const { signal } = this.#stopping;
    const result = await send(channel, message, { signal, now: now() });
    // Interrupted: the outcome is unknown.
    if (signal.aborted && result.outcome !== 'sent') return false;
    switch (result.outcome) {
      case 'sent':
        await this.#succeed(rows, result.ref);
        return true;
      case 'refused':
        await this.#fail(rows, 'refused', result.reason);
        return true;
      case 'retry':
        await this.#retryLater(rows, result);
        return false;
    }
  }

  /** @returns undefined when there is nothing left to send */
  async #messageOf(rows: readonly DueRow[]): Promise<NotificationMessage | undefined> {
    const { channel, database, now, baseUrl } = this.#options;
    const [row] = rows;
    if (row === undefined) return undefined;
    const ids = rows.map(({ incident_id: id }) => id);
    const items = await incidentItems(database, ids, now());
    const relevant = items.filter(
      (item) => !isDismissed(item) || (row.sent !== null && row.state === 'resolved'),
    );
    if (relevant.length === 0) return undefined;
    const since = Math.min(...rows.map(({ due_since: at }) => at));
    if (row.digest !== null) {
      const open = relevant.filter(({ state }) => state !== 'resolved').length;
      const url = `${baseUrl}/incidents`;
      return {
        type: 'incidents.digest',
        id: row.digest,
        url,
        at: now(),
        count: relevant.length,
        open,
        since,
      };
    }
    const [incident] = relevant;
    if (incident === undefined) return undefined;
    return {
      type: typeOf(row.state, row.sent),
      id: messageId(channel.name, incident.id, row.state),
      url: `${baseUrl}/incidents/${encodeURIComponent(incident.id)}`,
      at: row.due_since,
      incident,
      ref: row.ref,
    };
  }

  async #succeed(rows: readonly DueRow[], ref: string | undefined): Promise<void> {
    const { channel, database, now, logger } = this.#options;
    const { name } = channel;
    const wasFailing = await database.transaction(async (tx) => {
      await settleRows(tx, name, rows, { sentAt: now(), ...(ref !== undefined && { ref }) });
      const [before] = await tx.query<{ since: number | null }>(
        'select failing_since as since from notification_channels where name = $1',
        [name],
      );
      await tx.query(
        `update notification_channels set last_sent_at = $2::float8, sent = sent + 1, failures = 0, failing_since = null,
           error = null, next_at = 0 where name = $1`,
        [name, now()],
      );
      return before?.since != null;
    });
    this.#count('sent', 1);
    if (wasFailing) logger.info({ notification: name }, 'Messages are delivered again');
  }

  async #fail(rows: readonly DueRow[], outcome: 'refused' | 'expired', reason: string): Promise<void> {
    await this.#recordFailure(outcome, reason, rows.length, (tx) =>
      settleRows(tx, this.#options.channel.name, rows, { failed: reason }),
    );
    this.#count(outcome, rows.length);
  }

  async #retryLater(
    rows: readonly DueRow[],
    { reason, afterMs }: { readonly reason: string; readonly afterMs?: number },
  ): Promise<void> {
    const { channel, database, now, random } = this.#options;
    const [stored] = await readChannels(database, [channel.name]);
    const pause = (attempt: number) =>
      Math.max(afterMs ?? 0, backoff(attempt, MIN_PAUSE_MS, MAX_PAUSE_MS, random));
    const attempts = Math.max(...rows.map((row) => row.attempts));
    await this.#recordFailure('retried', reason, 0, async (tx) => {
      // The row waits longer than the receiver, so that one failing message does not block the others.
      await postponeRows(tx, channel.name, rows, now() + pause(attempts + 1));
      await tx.query(
        `update notification_channels set failures = failures + 1, next_at = $2::float8 where name = $1`,
        [channel.name, now() + pause(stored?.failures ?? 0)],
      );
    });
    this.#count('retried', 1);
  }

  /** Logs a warning when failing starts, not at each failure. */
  async #recordFailure(
    outcome: string,
    reason: string,
    failed: number,
    change: (tx: Parameters<Parameters<Database['transaction']>[0]>[0]) => Promise<void>,
  ): Promise<void> {
    const { channel, database, now, logger } = this.#options;
    const isNew = await database.transaction(async (tx) => {
      await change(tx);
      const [row] = await tx.query<{ before: number | null }>(
        `update notification_channels c set failing_since = coalesce(c.failing_since, $2::float8), error = $3,
           failed = c.failed + $4::int
         from (select failing_since as before from notification_channels where name = $1 for update) as old
         where c.name = $1 returning old.before`,
        [channel.name, now(), reason, failed],
      );
      return row?.before === null;
    });
    const facts = { notification: channel.name, type: channel.type, outcome, reason };
    if (isNew) logger.warn(facts, 'Message not delivered');
    else logger.debug(facts, 'Message not delivered');
  }

  #count(outcome: string, messages: number): void {
    const { channel, metrics } = this.#options;
    metrics.notifications.inc({ name: channel.name, type: channel.type, outcome }, messages);
  }
}

/** Checked when a message is sent, because people may have triaged the incident since it was queued. */
function isDismissed({ triage }: Pick<IncidentItem, 'triage'>): boolean {
  return triage.status === 'muted' || triage.status === 'false_positive';
}

/** Groups the rows of one digest; every other row is a group of its own. */
function grouped(rows: readonly DueRow[]): DueRow[][] {
  const groups = new Map<string, DueRow[]>();
  for (const row of rows) {
    const key = row.digest === null || row.sent !== null ? `incident ${row.incident_id}` : row.digest;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}
