import { notificationSchema, type Verdict } from '@loopwatch/contract';
import type { IncidentItem } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { type DestinationStream, pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import type { NotificationChannel } from '../../src/notifications/channel.ts';
import { Delivery, type DeliveryOptions } from '../../src/notifications/delivery.ts';
import { type ActiveChannel, createEnqueue } from '../../src/notifications/outbox.ts';
import { send } from '../../src/notifications/senders/senders.ts';
import { readChannels, registerChannels } from '../../src/notifications/stored-channels.ts';
import { markSample } from '../../src/samples/stored-samples.ts';
import { lockChanges } from '../../src/storage/change-lock.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { verdict } from '../verdicts.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const empty = sharedPglite();
const START = Date.UTC(2026, 10, 23, 3, 0, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function webhook(receiver: Receiver, part: Record<string, unknown> = {}): NotificationChannel {
  const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret: 'abc', ...part };
  return notificationSchema.parse(entry) as NotificationChannel;
}

/** A database, its clock and what a server does with verdicts and deliveries, each step asked for. */
async function bench(channels: readonly NotificationChannel[]) {
  const database = await empty();
  const clock = { now: START };
  const logged: string[] = [];
  const stream: DestinationStream = { write: (line) => void logged.push(line) };
  const logger = pino({ level: 'info' }, stream);
  const registry = new Registry();
  const metrics = createServerMetrics(registry);
  const now = () => clock.now;
  await registerChannels(
    database,
    channels.map(({ name }) => name),
    now(),
  );
  const active: readonly ActiveChannel[] = channels.map((channel) => ({ channel, since: START }));
  const enqueue = createEnqueue(() => active, now);
  const delivery = (channel: NotificationChannel, part: Partial<DeliveryOptions> = {}) =>
    new Delivery({
      channel,
      database,
      logger,
      metrics,
      now,
      random: () => 1,
      owner: 'a',
      baseUrl: 'https://loops.test',
      send,
      ...part,
    });
  return {
    database,
    clock,
    logged,
    registry,
    delivery,
    /** Stores verdicts as the feed does. */
    store: (...verdicts: Partial<Verdict>[]) =>
      database.transaction(async (tx) => {
        await lockChanges(tx);
        const read = verdicts.map((part) => ({
          verdict: verdict({ time: clock.now, ...part }),
          arrivedAt: clock.now,
        }));
        await writeVerdicts(tx, read);
        await enqueue(
          tx,
          read.map((one) => one.verdict.incidentId),
        );
      }),
    /** Sends until nothing is due at this time. */
    drain: async (one: Delivery) => {
      while ((await one.step()) === 0);
    },
    stored: async (name = 'ops') => (await readChannels(database, [name]))[0],
  };
}

const typesOf = ({ received }: Receiver) => received.map(({ json }) => json['type']);
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id']);

it('notifications: one message per incident, and one each when it escalates and resolves', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery } = await bench([channel]);
  const one = delivery(channel);
  await store({ count: 5 });
  await drain(one);
  await store({ count: 6 });
  await drain(one);
  await store({ phase: 'escalated', action: 'block', count: 7 });
  await drain(one);
  await store({ phase: 'resolved', count: 8 });
  await drain(one);
  await drain(one);
  expect(typesOf(receiver)).toEqual(['incident.opened', 'incident.escalated', 'incident.resolved']);
  expect(new Set(idsOf(receiver)).size).toBe(3);
  expect(receiver.received[0]?.json['data']).toMatchObject({
    url: 'https://loops.test/incidents/i-1',
    incident: { id: 'i-1', action: 'warn' },
  });
});

it('notifications: changes before sending are merged into one message', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery } = await bench([channel]);
  await store({ count: 5 });
  await store({ phase: 'escalated', action: 'block', count: 7 });
  await drain(delivery(channel));
  expect(receiver.received.map(({ json }) => json)).toMatchObject([
    { type: 'incident.opened', data: { incident: { action: 'block' } } },
  ]);
});

it('notifications: a server that is killed between sending and marking sends the same id again', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery } = await bench([channel]);
  await store({ count: 5 }, { count: 5, incidentId: 'i-2', sessionId: 's-2' });
  const killed = delivery(channel, {
    send: async (...request) => {
      await send(...request);
      throw new Error('killed');
    },
  });
  await expect(killed.step()).rejects.toThrow('killed');
  expect(receiver.received).toHaveLength(1);
  await drain(delivery(channel, { owner: 'b' }));
  expect(receiver.received).toHaveLength(3);
  expect(new Set(idsOf(receiver)).size).toBe(2);
});

it('notifications: of two servers the one that holds the lease sends, and the other takes over', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery, clock, database } = await bench([channel]);
  const shared: Database = { ...database, kind: 'postgres' };
  const first = delivery(channel, { database: shared });
  const other = delivery(channel, { database: shared, owner: 'b' });
  await drain(first);
  await store({ count: 5 });
  await drain(other);
  expect(receiver.received).toHaveLength(0);
  await drain(first);
  expect(receiver.received).toHaveLength(1);
  await store({ phase: 'resolved', count: 8 });
  clock.now += 31 * SECOND;
  await drain(other);
  expect(typesOf(receiver)).toEqual(['incident.opened', 'incident.resolved']);
});

it('notifications: a receiver that is unavailable for an hour delays no other and misses nothing', async () => {
  await using receiver = await startReceiver();
  await using away = await startReceiver();
  const channels = [webhook(receiver), webhook(away, { name: 'away' })] as const;
  const { store, drain, delivery, clock, stored, logged, registry } = await bench(channels);
  const [first, second] = channels.map((channel) => delivery(channel));
  if (first === undefined || second === undefined) throw new Error('two are made');
  away.reply = () => ({ status: 503 });
  await store({ count: 5 });
  await drain(second);
  await drain(first);
  expect(typesOf(receiver)).toEqual(['incident.opened']);
  for (let tries = 0; tries < 60; tries += 1) {
    clock.now += MINUTE;
    await drain(second);
  }
  const failed = away.received.length;
  // 1, 2, 4 … 300 s apart, as the message's own pauses have it.
  expect(failed).toBeGreaterThan(10);
  expect(failed).toBeLessThan(30);
  expect(await stored('away')).toMatchObject({ failingSince: START, waiting: 1, error: 'HTTP 503' });
  expect(logged.filter((line) => line.includes('Message not delivered'))).toHaveLength(1);
  away.reply = () => ({});
  clock.now += 10 * MINUTE;
  await drain(second);
  expect(new Set(idsOf(away)).size).toBe(1);
  expect(away.received).toHaveLength(failed + 1);
  expect(await stored('away')).toMatchObject({ failingSince: null, waiting: 0, sent: 1, error: null });
  expect(await registry.metrics()).toContain(
    'loopwatch_notifications_total{name="away",type="webhook",outcome="sent"} 1',
  );
});

it('notifications: honors Retry-After', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery, clock } = await bench([channel]);
  receiver.reply = () => ({ status: 429, headers: { 'retry-after': '600' } });
  const one = delivery(channel);
  await store({ count: 5 });
  await drain(one);
  receiver.reply = () => ({});
  clock.now += 599 * SECOND;
  await drain(one);
  expect(receiver.received).toHaveLength(1);
  clock.now += 2 * SECOND;
  await drain(one);
  expect(receiver.received).toHaveLength(2);
});

it('notifications: a refused message is recorded once, without secrets, and blocks no other', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver, { secret: 'very-secret' });
  const { store, drain, delivery, clock, stored, logged } = await bench([channel]);
  receiver.reply = ({ json }) =>
    json['type'] === 'incident.opened' ? { status: 400, text: 'signed by very-secret?' } : {};
  const one = delivery(channel);
  await store({ count: 5 }, { count: 5, incidentId: 'i-2', sessionId: 's-2' });
  await drain(one);
  clock.now += HOUR;
  await drain(one);
  expect(receiver.received).toHaveLength(2);
  expect(await stored()).toMatchObject({ failed: 2, waiting: 0, error: 'HTTP 400 signed by ******?' });
  expect(logged).toHaveLength(1);
  expect(logged.join('')).not.toContain('very-secret');
  await store({ phase: 'resolved', count: 8 });
  await drain(one);
  expect(await stored()).toMatchObject({ failed: 2, sent: 1, failingSince: null });
});

it('notifications: messages expire after a day and are counted', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery, clock, stored } = await bench([channel]);
  receiver.reply = () => ({ status: 500 });
  const one = delivery(channel);
  await store({ count: 5 });
  await drain(one);
  clock.now += 25 * HOUR;
  receiver.reply = () => ({});
  await drain(one);
  expect(receiver.received).toHaveLength(1);
  expect(await stored()).toMatchObject({ failed: 1, waiting: 0, error: 'not delivered within a day' });
});

it('notifications: messages beyond the rate limit become one digest, retried with the same id', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver, { max_per_minute: 3 });
  const { store, drain, delivery, clock } = await bench([channel]);
  const one = delivery(channel);
  const many = Array.from({ length: 20 }, (_, at) => ({ incidentId: `i-${at}`, sessionId: `s-${at}` }));
  await store(...many);
  await drain(one);
  expect(typesOf(receiver)).toEqual(Array(3).fill('incident.opened'));
  clock.now += 59 * SECOND;
  await drain(one);
  expect(receiver.received).toHaveLength(3);
  await store({ ...many[19], phase: 'resolved', count: 9 });
  clock.now += 2 * SECOND;
  receiver.reply = ({ json }) => (json['type'] === 'incidents.digest' ? { status: 503 } : {});
  await drain(one);
  receiver.reply = () => ({});
  clock.now += 10 * SECOND;
  await drain(one);
  const digests = receiver.received.filter(({ json }) => json['type'] === 'incidents.digest');
  expect(new Set(digests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(digests).toHaveLength(2);
  const told = receiver.received.length - digests.length;
  expect(digests[1]?.json['data']).toMatchObject({ count: 20 - told });
  expect((digests[1]?.json['data'] as { text: string }).text).toContain(
    `${String(20 - told)} more incidents in the last minute`,
  );
  // What a digest told ends without a message; what gets worse is told.
  const before = receiver.received.length;
  clock.now += 2 * MINUTE;
  const digested = many.filter(
    ({ incidentId }) => !receiver.received.some(({ text }) => text.includes(`"${incidentId}"`)),
  );
  await store({ ...digested[0], phase: 'resolved', count: 9 });
  await store({ ...digested[1], phase: 'escalated', action: 'block', count: 9 });
  await drain(one);
  expect(typesOf(receiver).slice(before)).toEqual(['incident.opened']);
});

it('notifications: skips muted incidents, false positives, samples and older incidents', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery, clock, database } = await bench([channel]);
  const one = delivery(channel);
  const triage = (id: string, status: 'muted' | 'false_positive') =>
    database.transaction(async (tx) => {
      await lockChanges(tx);
      await changeTriage(tx, [id], { status }, { by: 'test', at: clock.now });
    });
  await store({ incidentId: 'old', sessionId: 's-0', detectedAt: START - SECOND });
  await markSample(database, 's-sample', clock.now);
  await store({ incidentId: 'sample', sessionId: 's-sample' });
  await store({ incidentId: 'muted', sessionId: 's-1' });
  await store({ incidentId: 'wrong', sessionId: 's-2' });
  await triage('muted', 'muted');
  await triage('wrong', 'false_positive');
  await drain(one);
  expect(receiver.received).toHaveLength(0);
  await store({ incidentId: 'muted', sessionId: 's-1', phase: 'escalated', action: 'block', count: 7 });
  await store({ incidentId: 'muted', sessionId: 's-1', phase: 'resolved', count: 8 });
  await drain(one);
  expect(receiver.received).toHaveLength(0);
  // An incident that was told is closed at the receiver, whatever people said of it meanwhile.
  await store({ incidentId: 'told', sessionId: 's-3' });
  await drain(one);
  await triage('told', 'muted');
  await store({ incidentId: 'told', sessionId: 's-3', phase: 'escalated', action: 'block', count: 7 });
  await store({ incidentId: 'told', sessionId: 's-3', phase: 'resolved', count: 8 });
  await drain(one);
  expect(typesOf(receiver)).toEqual(['incident.opened', 'incident.resolved']);
});

it('notifications: of sessions with a wrong clock, those that loop now are sent, and imported ones are not', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver);
  const { store, drain, delivery } = await bench([channel]);
  const one = delivery(channel);
  for (const [clock, time] of [
    ['2099', Date.UTC(2099, 0, 1)],
    ['1970', 1_000],
  ] as const) {
    await store({ incidentId: `history-${clock}`, sessionId: clock, time, detectedAt: START - 72 * HOUR });
    await store({ incidentId: `now-${clock}`, sessionId: `now-${clock}`, time, detectedAt: START });
  }
  await drain(one);
  const told = receiver.received.map(({ json }) => (json['data'] as { incident: IncidentItem }).incident);
  expect(told.map(({ id, openedAt, lastAt }) => [id, openedAt, lastAt]).sort()).toEqual([
    ['now-1970', START, START],
    ['now-2099', START, START],
  ]);
});

it('notifications: an incident is sent once its cost reaches the minimum', async () => {
  await using receiver = await startReceiver();
  const channel = webhook(receiver, { when: { min_usd: 1 } });
  const { store, drain, delivery } = await bench([channel]);
  const cost = (usd: number) => ({ ...verdict().cost, usd });
  const one = delivery(channel);
  await store({ count: 5, cost: cost(0.2) });
  await drain(one);
  expect(receiver.received).toHaveLength(0);
  await store({ count: 9, phase: 'escalated', action: 'chance', cost: cost(1.2) });
  await drain(one);
  expect(typesOf(receiver)).toEqual(['incident.opened']);
});
