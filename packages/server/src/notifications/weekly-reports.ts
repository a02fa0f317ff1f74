import { type WeeklyReport, weekOf } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { weeklyReport } from '../stats/weekly-report.ts';
import type { NotificationChannel } from './channel.ts';
import { messageId, type ReportMessage } from './message.ts';
import type { SendContext, SendResult } from './post.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
const POLL_MS = 30_000;
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** 1970-01-05, the first Monday. */
const FIRST_MONDAY = 4 * DAY;

export interface WeeklyReportsOptions {
  readonly database: Database;
  readonly baseUrl: string;
  readonly logger: Logger;
  readonly metrics: Pick<ServerMetrics, 'notifications'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly send: (
    channel: NotificationChannel,
    message: ReportMessage,
    context: SendContext,
  ) => Promise<SendResult>;
  /** The active receivers, each with the time since when. */
  readonly channels: () => readonly { readonly channel: NotificationChannel; readonly since: number }[];
}

/** Sends the report of the latest complete week to the receivers that ask for it. */
export class WeeklyReports {
  readonly #options: WeeklyReportsOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: WeeklyReportsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.run());
    }, POLL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** Sends what is due. */
  async run(): Promise<void> {
    const { channels, now, logger } = this.#options;
    for (const { channel, since } of channels()) {
      const due = dueAt(channel, now());
      // A report that was due before it was asked for, or while no server ran for a day, is not sent late.
      if (due === undefined || due < since || due < now() - DAY || this.#stopping.signal.aborted) continue;
      try {
        await this.#sendOnce(channel, due);
      } catch (err) {
        logger.warn({ err, notification: channel.name }, 'Sending the weekly report failed');
      }
    }
  }

  /** The row's time says which report was sent last, so that one of several servers sends it. */
  async #sendOnce(channel: NotificationChannel, due: number): Promise<void> {
    const { database, logger, metrics } = this.#options;
    const { name, type } = channel;
    const claimed = await database.query(
      'update notification_channels set report_at = $2::float8 where name = $1 and report_at < $2::float8 returning 1',
      [name, due],
    );
    if (claimed.length === 0) return;
    const result = await this.#send(channel, due).catch(
      (error: unknown): SendResult => ({ outcome: 'retry', reason: String(error) }),
    );
    metrics.notifications.inc({
      name,
      type,
      outcome: result.outcome === 'retry' ? 'retried' : result.outcome,
    });
    if (result.outcome === 'sent') return;
    logger.warn({ notification: name, reason: result.reason }, 'Weekly report not delivered');
    if (result.outcome === 'retry')
      await database.query('update notification_channels set report_at = 0 where name = $1', [name]);
  }

  async #send(channel: NotificationChannel, due: number): Promise<SendResult> {
    const { database, now, send, baseUrl } = this.#options;
    const report = await weeklyReport(database, weekOf(due - WEEK), now());
    const message = reportMessage(channel.name, report, baseUrl, now());
    return send(channel, message, { signal: this.#stopping.signal, now: now() });
  }
}

function reportMessage(name: string, report: WeeklyReport, baseUrl: string, at: number): ReportMessage {
  return {
    type: 'report.weekly',
    id: messageId('report', name, report.week),
    url: `${baseUrl}/report?week=${report.week}`,
    at,
    report,
  };
}

/** The latest time at which a report was due. @returns undefined if none is wanted */
export function dueAt(channel: NotificationChannel, now: number): number | undefined {
  const schedule = 'weekly_report' in channel ? channel.weekly_report : undefined;
  if (schedule === undefined) return undefined;
  const [day = '', time = ''] = schedule.split(' ');
  const [hour = '0', minute = '0'] = time.split(':');
  const offset = FIRST_MONDAY + days.indexOf(day) * DAY + (Number(hour) * 60 + Number(minute)) * 60_000;
  return offset + Math.floor((now - offset) / WEEK) * WEEK;
}
