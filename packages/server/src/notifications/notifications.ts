import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { NotificationStatus } from '@loopwatch/contract/api';
import { withoutSecrets } from '@loopwatch/contract/internal';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { limitOf, type NotificationChannel, targetOf } from './channel.ts';
import { Delivery } from './delivery.ts';
import { testMessage } from './message.ts';
import { createEnqueue, type EnqueueNotifications, outboxChannel, SOMETHING_DUE } from './outbox.ts';
import { readPageNotifications } from './page-notifications.ts';
import type { SendResult } from './post.ts';
import { send } from './senders/senders.ts';
import { readChannels, registerChannels } from './stored-channels.ts';
import { traceSend } from './trace-send.ts';
import { WeeklyReports } from './weekly-reports.ts';

export interface NotificationsOptions {
  readonly database: Database;
  readonly channels: readonly NotificationChannel[];
  /** URL of the dashboard, without a trailing slash. */
  readonly baseUrl: string;
  readonly logger: Logger;
  readonly metrics: Pick<ServerMetrics, 'notifications'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly random?: () => number;
}

interface Receiver {
  readonly channel: NotificationChannel;
  readonly origin: NotificationStatus['origin'];
  readonly delivery: Delivery;
  /** Incidents detected before are not sent; wall clock, epoch ms. */
  readonly since: number;
}

/** All receivers: those of the configuration, and those set up in the dashboard. */
export class Notifications {
  /** Call in the transaction that writes incidents. */
  readonly enqueue: EnqueueNotifications;
  readonly #options: NotificationsOptions;
  readonly #owner = randomUUID();
  /** By name; those from the configuration come first. */
  #receivers: ReadonlyMap<string, Receiver> = new Map();
  #reading: Promise<void> = Promise.resolve();
  #unlisten: () => Promise<void> = () => Promise.resolve();
  readonly #stopping = new AbortController();
  readonly #reports: WeeklyReports;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#reports = new WeeklyReports({
      ...options,
      send: traceSend(send),
      channels: () => [...this.#receivers.values()],
    });
    this.enqueue = createEnqueue(() => [...this.#receivers.values()], options.now);
  }

  /** From now on, incidents that are read cause messages. */
  async start(): Promise<void> {
    const { database, logger } = this.#options;
    this.#unlisten = await database.listen(outboxChannel, (notice) => {
      for (const { delivery } of this.#receivers.values()) delivery.wake();
      if (notice === SOMETHING_DUE) return;
      this.reload().catch((err: unknown) => {
        logger.warn({ err }, 'Loading receivers changed by another server failed');
      });
    });
    await this.reload();
    this.#reports.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reports.stop();
    await this.#unlisten();
    await this.#reading.catch(() => undefined);
    await Promise.all([...this.#receivers.values()].map(({ delivery }) => delivery.stop()));
  }

  /** Applies the current receivers. */
  reload(): Promise<void> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    return this.#reading;
  }

  /** Whether a receiver comes from the configuration, and so cannot be changed in the dashboard. */
  isConfigured(name: string): boolean {
    return this.#options.channels.some((channel) => channel.name === name);
  }

  async #read(): Promise<void> {
    const { database, channels, now, random = Math.random } = this.#options;
    const own = (await readPageNotifications(database)).filter(({ name }) => !this.isConfigured(name));
    const wanted = [
      ...channels.map((channel) => ({ channel, origin: 'configuration' as const })),
      ...own.map((channel) => ({ channel, origin: 'page' as const })),
    ];
    const names = wanted.map(({ channel }) => channel.name);
    if (names.length > 0) await registerChannels(database, names, now());
    const stored = await readChannels(database, names);
    if (this.#stopping.signal.aborted) return;
    const before = this.#receivers;
    const next = new Map<string, Receiver>();
    for (const { channel, origin } of wanted) {
      const known = before.get(channel.name);
      const isSame = known !== undefined && isDeepStrictEqual(known.channel, channel);
      const since = stored.find(({ name }) => name === channel.name)?.since ?? now();
      const delivery = isSame
        ? known.delivery
        : new Delivery({
            ...this.#options,
            channel,
            owner: this.#owner,
            random,
            send: traceSend(send),
          });
      next.set(channel.name, { channel, origin, since, delivery });
    }
    this.#receivers = next;
    const kept = new Set([...next.values()].map(({ delivery }) => delivery));
    const running = new Set([...before.values()].map(({ delivery }) => delivery));
    // A changed receiver must not send to its old address once the new one sends.
    await Promise.all([...running].filter((one) => !kept.has(one)).map((one) => one.stop()));
    for (const one of kept) if (!running.has(one)) one.start();
  }

  /** The delivery status of each, in the order of the configuration. */
  async status(): Promise<NotificationStatus[]> {
    const receivers = [...this.#receivers.values()];
    if (receivers.length === 0) return [];
    const stored = await readChannels(this.#options.database, [...this.#receivers.keys()]);
    return receivers.map(({ channel, origin }) => {
      const row = stored.find(({ name }) => name === channel.name);
      return {
        name: channel.name,
        type: channel.type,
        origin,
        ...(origin === 'page' && { entry: withoutSecrets(channel) }),
        target: targetOf(channel),
        when: channel.when,
        maxPerMinute: limitOf(channel),
        sent: row?.sent ?? 0,
        failed: row?.failed ?? 0,
        waiting: row?.waiting ?? 0,
        lastSentAt: row?.lastSentAt ?? null,
        failingSince: row?.failingSince ?? null,
        error: row?.error ?? null,
      };
    });
  }

  /** Sends a test message now, bypassing the outbox. @returns undefined for an unknown name */
  async test(name: string): Promise<SendResult | undefined> {
    const { baseUrl, now } = this.#options;
    const channel = this.#receivers.get(name)?.channel;
    return channel && sendTest(channel, { baseUrl, now: now(), signal: this.#stopping.signal });
  }
}

/** Sends a test message once. */
export function sendTest(
  channel: NotificationChannel,
  { baseUrl, now, signal }: { readonly baseUrl: string; readonly now: number; readonly signal: AbortSignal },
): Promise<SendResult> {
  return send(channel, testMessage(channel.name, baseUrl, now), { signal, now });
}
