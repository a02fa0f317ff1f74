import { notificationSchema } from '@loopwatch/contract';
import pino from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import type { NotificationChannel } from '../../src/notifications/channel.ts';
import type { ReportMessage } from '../../src/notifications/message.ts';
import { plainText } from '../../src/notifications/message-text.ts';
import type { SendResult } from '../../src/notifications/post.ts';
import { registerChannels } from '../../src/notifications/stored-channels.ts';
import { dueAt, WeeklyReports } from '../../src/notifications/weekly-reports.ts';

const HOUR = 3_600_000;
const MONDAY = Date.UTC(2026, 10, 23, 8);

function channel(part: object = {}): NotificationChannel {
  const entry = {
    name: 'ops',
    type: 'slack',
    url: 'https://slack.test/x',
    weekly_report: 'monday 08:00',
    ...part,
  };
  return notificationSchema.parse(entry) as NotificationChannel;
}

it.each([
  ['monday 08:00', MONDAY - 1, MONDAY - 7 * 24 * HOUR],
  ['monday 08:00', MONDAY, MONDAY],
  ['sunday 23:30', MONDAY, MONDAY - 8.5 * HOUR],
  ['tuesday 00:00', MONDAY, MONDAY - 6 * 24 * HOUR - 8 * HOUR],
])('weekly report: one of %s was due at the right time', (weekly_report, now, due) => {
  expect(dueAt(channel({ weekly_report }), now)).toBe(due);
});

it('weekly report: none is due without a schedule, and a wrong one is refused', () => {
  expect(dueAt(channel({ weekly_report: undefined }), MONDAY)).toBeUndefined();
  for (const weekly_report of ['monday', 'Monday 8', 'monday 24:00', 'daily 08:00'])
    expect(() => channel({ weekly_report }), weekly_report).toThrow('such as monday 08:00');
});

onBothDatabases(({ make }) => {
  let now = MONDAY;
  let sent: ReportMessage[] = [];
  let results: SendResult[] = [];
  let counted: string[] = [];

  beforeEach(() => {
    now = MONDAY;
    sent = [];
    results = [];
    counted = [];
  });

  const servers = async (count: number, since = MONDAY - HOUR) => {
    const { database } = await make();
    await registerChannels(database, ['ops'], since);
    const options = {
      database,
      baseUrl: 'https://loops.test',
      logger: pino({ level: 'silent' }),
      metrics: {
        notifications: { inc: ({ outcome }: { outcome: string }) => counted.push(outcome) } as never,
      },
      now: () => now,
      channels: () => [{ channel: channel(), since }],
      send: (_: NotificationChannel, message: ReportMessage) => {
        sent.push(message);
        return Promise.resolve(results.shift() ?? { outcome: 'sent' as const });
      },
    };
    return Array.from({ length: count }, () => new WeeklyReports(options));
  };

  it('weekly report: one of several servers sends it once a week', async () => {
    const all = await servers(3);
    const run = () => Promise.all(all.map((one) => one.run()));
    await run();
    now += HOUR;
    await run();
    expect(sent.map(({ report }) => report.week)).toEqual(['2026-W47']);
    expect(sent[0]?.url).toBe('https://loops.test/report?week=2026-W47');
    expect(plainText(sent[0] as ReportMessage)).toContain('Week 2026-W47: 0 loops in 0 sessions');
    now += 7 * 24 * HOUR;
    await run();
    expect(sent.map(({ report }) => report.week)).toEqual(['2026-W47', '2026-W48']);
  });

  it('weekly report: is sent again after a failure, but not if it was refused', async () => {
    const [server] = await servers(1);
    results = [
      { outcome: 'retry', reason: 'HTTP 503' },
      { outcome: 'refused', reason: 'HTTP 404' },
    ];
    for (let n = 0; n < 4; n += 1) await server?.run();
    expect(sent).toHaveLength(2);
    expect(counted).toEqual(['retried', 'refused']);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('weekly report: one that was due before the receiver was set up, or a day ago, is not sent', async () => {
    const [added] = await servers(1, MONDAY + 1);
    now = MONDAY + HOUR;
    await added?.run();
    const [late] = await servers(1);
    now = MONDAY + 25 * HOUR;
    await late?.run();
    expect(sent).toEqual([]);
  });
});
