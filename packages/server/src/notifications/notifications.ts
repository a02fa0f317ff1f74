import { randomUUID } from 'node:crypto';
import type { NotificationStatus } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics.ts';
import { limitOf, type NotificationChannel, targetOf } from './channel.ts';
import { Delivery } from './delivery.ts';
import { testMessage } from './message.ts';
import { type ActiveChannel, type EnqueueNotifications, enqueueInto, outboxChannel } from './outbox.ts';
import type { SendResult } from './post.ts';
import { send } from './senders/senders.ts';
import { readChannels, registerChannels } from './stored-channels.ts';

export interface NotificationsOptions {
  readonly database: Database;
  readonly channels: readonly NotificationChannel[];
  /** Address of the dashboard, without a slash at its end. */
  readonly base: string;
  readonly logger: Logger;
  readonly metrics: Pick<ServerMetrics, 'notifications'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly random?: () => number;
}

/** All that is configured under `notifications`. */
export class Notifications {
  /** Called in the transaction that changes incidents. */
  readonly enqueue: EnqueueNotifications;
  readonly #options: NotificationsOptions;
  readonly #deliveries: readonly Delivery[];
  #active: readonly ActiveChannel[] = [];
  #unlisten: () => Promise<void> = () => Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const owner = randomUUID();
    const { channels, random = Math.random } = options;
    this.enqueue = enqueueInto(() => this.#active, options.now);
    this.#deliveries = channels.map((channel) => new Delivery({ ...options, channel, owner, random, send }));
  }

  /** From here on what is read is told. */
  async start(): Promise<void> {
    const { database, channels, now } = this.#options;
    if (channels.length === 0) return;
    const names = channels.map(({ name }) => name);
    await registerChannels(database, names, now());
    const since = new Map((await readChannels(database, names)).map((row) => [row.name, row.since]));
    this.#active = channels.map((channel) => ({ channel, since: since.get(channel.name) ?? now() }));
    this.#unlisten = await database.listen(outboxChannel, () => {
      for (const delivery of this.#deliveries) delivery.wake();
    });
    for (const delivery of this.#deliveries) delivery.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#unlisten();
    await Promise.all(this.#deliveries.map((delivery) => delivery.stop()));
  }

  /** How each stands, in the order of the configuration. */
  async status(): Promise<NotificationStatus[]> {
    const { database, channels } = this.#options;
    if (channels.length === 0) return [];
    const stored = await readChannels(
      database,
      channels.map(({ name }) => name),
    );
    return channels.map((channel) => {
      const row = stored.find(({ name }) => name === channel.name);
      return {
        name: channel.name,
        type: channel.type,
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

  /** Sends a test message now, past the outbox. @returns undefined where there is none of this name */
  async test(name: string): Promise<SendResult | undefined> {
    const { channels, base, now } = this.#options;
    const channel = channels.find((one) => one.name === name);
    return channel && sendTest(channel, { base, now: now(), signal: this.#stopping.signal });
  }
}

/** Sends a test message once. */
export function sendTest(
  channel: NotificationChannel,
  { base, now, signal }: { readonly base: string; readonly now: number; readonly signal: AbortSignal },
): Promise<SendResult> {
  return send(channel, testMessage(channel.name, base, now), { signal, now });
}
