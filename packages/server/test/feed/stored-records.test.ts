import { deadLetterHeaders } from '@loopwatch/contract';
import { LogError } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { countedDeadLetters } from '../../src/feed/dead-letter-records.ts';
import type { Feeds } from '../../src/feed/feeds.ts';
import { MemoryLog } from '../memory-log.ts';
import { topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';
import { feedsOf, lives, readAll } from './feeds.ts';

onBothDatabases(({ make }) => {
  it('feed: sessions follow their latest summary, and stay after they expire', async () => {
    const log = new MemoryLog();
    const write = (id: string, value: object | null) =>
      log.append(topics.sessions, value === null ? null : JSON.stringify(value), {
        key: id,
        timestamp: value === null ? START + 3_600_000 : START,
      });
    write('a', summary('a', { events: 1 }));
    write('b', summary('b', { incidents: { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } } }));
    write('a', summary('a', { events: 9, status: 'ended' }));
    write('b', null);
    write('a', null);
    log.append(topics.sessions, '{"v":1}', { key: 'bad' });
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(
      await database.query('select id, state, events, incidents_open from sessions order by id'),
    ).toEqual([
      { id: 'a', state: 'ended', events: 9, incidents_open: 0 },
      { id: 'b', state: 'idle', events: 2, incidents_open: 1 },
    ]);
  });

  it('feed: stores verdicts with characters that PostgreSQL cannot hold', async () => {
    const log = new MemoryLog();
    log.appendVerdict(verdict({ reason: 'nul \u0000 half \ud83d', evidence: { 'k\u0000': '\u0000' } }));
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query("select doc::jsonb->>'reason' as reason from verdict_docs")).toEqual([
      { reason: 'nul \ufffd half \ufffd' },
    ]);
  });

  /** Verdicts on an id, and what PostgreSQL makes of them: it refuses an index entry of more than 2,704 bytes. */
  const longId = Array.from({ length: 1_500 }, (_, n) =>
    String.fromCodePoint(0x4e_00 + ((n * 7919) % 20_000)),
  ).join('');

  it('feed: one record that the database refuses stops no other', async () => {
    const log = new MemoryLog();
    const lines: string[] = [];
    const good = lives(120);
    good.forEach((one, n) => {
      if (n % 100 === 30) log.appendVerdict(verdict({ incidentId: `bad-${String(n)}`, sessionId: longId }));
      if (n === 50) log.append(topics.verdicts, '{"v":1,"id":', { key: 'k' });
      log.appendVerdict(one);
    });
    log.append(topics.sessions, JSON.stringify(summary(longId)), { key: 's' });
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    log.append(topics.triage, '{"v":9}', { key: 't' });
    log.append(topics.control, '{"scope":"server"}', { key: 'another' });
    const { database } = await make();
    const feeds = feedsOf(database, log, pino({}, { write: (line) => lines.push(line) }));
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: good.length }]);
    expect(await database.query('select id from sessions')).toEqual([{ id: 's-1' }]);
    const letters = (log.topics.get(topics['dead-letters']) ?? []).map(({ headers }) =>
      ['loopwatch-error-code', 'loopwatch-topic', 'loopwatch-offset'].map((name) =>
        Buffer.from(headers[name] ?? []).toString(),
      ),
    );
    expect(letters.toSorted()).toEqual(
      [
        ['not_stored', topics.verdicts, '30'],
        ['not_stored', topics.verdicts, '132'],
        ['not_stored', topics.verdicts, '233'],
        ['not_stored', topics.verdicts, '334'],
        ['invalid_record', topics.verdicts, '51'],
        ['not_stored', topics.sessions, '0'],
        ['invalid_record', topics.triage, '0'],
        ['invalid_record', topics.control, '0'],
      ].toSorted(),
    );
    expect(feeds.error).toBeNull();
    expect(lines.join('')).toContain(
      `The record at offset 51 of ${topics.verdicts} could not be stored and became a dead letter: `,
    );
    const counted = (role: string, of: Feeds) => {
      const { partitions } = of.status.find((topic) => topic.role === role) ?? { partitions: [] };
      return partitions.map(({ setAside, latestSetAside }) => [setAside, latestSetAside?.offset]);
    };
    expect(counted('verdicts', feeds)).toEqual([[5, 334]]);
    const again = feedsOf(database, log);
    await readAll(again, log);
    expect(counted('verdicts', again)).toEqual([[5, 334]]);
    await again.stop();
  });

  it.each([
    ['lone halves', 'x\\ud800', 'x\\udc00', 'x\ufffd'],
    ['a half and NUL', 'agent \\uDBFF 7', 'agent \\u0000 7', 'agent \ufffd 7'],
  ])('feed: ids that the database makes one are one: %s', async (_, one, other, stored) => {
    const log = new MemoryLog();
    for (const id of [one, other]) {
      const session = JSON.stringify(summary('ID', { agent: 'ID', tenant: 'pair \ud83d\ude00' }));
      log.append(topics.sessions, session.replaceAll('ID', id), { key: 'k' });
      const written = JSON.stringify(verdict({ sessionId: 'ID', incidentId: 'ID', id: `ID/${id.length}` }));
      log.append(topics.verdicts, written.replaceAll('ID', id), { key: 'k' });
    }
    const { database } = await make();
    const feeds = feedsOf(database, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(await database.query('select id, tenant from sessions')).toEqual([
      { id: stored, tenant: 'pair \ud83d\ude00' },
    ]);
    expect(await database.query('select id, session_id from incidents')).toEqual([
      { id: stored, session_id: stored },
    ]);
    expect(log.topics.get(topics['dead-letters'])).toBeUndefined();
  });

  it('feed: counts the dead letters of workers by topic and reason, each once', async () => {
    const log = new MemoryLog();
    const letter = (topic: string, reason: string, offset: number) => {
      const headers = { code: reason, topic, partition: '2', offset: String(offset) };
      log.append(topics['dead-letters'], null, {
        key: 'k',
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, text]) => [
            deadLetterHeaders[name as keyof typeof headers],
            Buffer.from(text),
          ]),
        ),
      });
    };
    for (let offset = 0; offset < 1200; offset += 1) letter(topics.events, 'not_json', offset);
    letter(topics.events, 'invalid_event', 7);
    letter('agents\u0000', 'made up', 8);
    log.append(topics['dead-letters'], '{}', { key: 'k' });
    const { database } = await make();
    for (let start = 0; start < 2; start += 1) {
      const feeds = feedsOf(database, log);
      await readAll(feeds, log);
      await feeds.stop();
    }
    const counted = await countedDeadLetters(database);
    expect(counted.toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason))).toMatchObject([
      { topic: topics.events, reason: 'not_json', count: 1200, latest: { partition: 2, offset: 1199 } },
      { topic: topics.events, reason: 'invalid_event', count: 1, latest: { partition: 2, offset: 7 } },
      { topic: expect.stringMatching(/^agents/), reason: 'unknown', count: 1, latest: { offset: 8 } },
      { topic: '', reason: 'unknown', count: 1, latest: { partition: null, offset: null } },
    ]);
  });

  it('feed: waits while the database or the dead letters fail, and sets nothing aside then', async () => {
    const log = new MemoryLog();
    for (const one of lives(5)) log.appendVerdict(one);
    log.append(topics.verdicts, 'no JSON', { key: 'k' });
    const { database } = await make();
    let failures = 0;
    const missing: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          failures += 1;
          if (failures < 20) await tx.query('select * from a_table_that_does_not_exist');
          if (failures === 20) log.failure = new LogError('broker_unreachable', 'no broker');
          if (failures === 40) log.failure = undefined;
          return work(tx);
        }),
    };
    const feeds = feedsOf(missing, log);
    await readAll(feeds, log);
    await feeds.stop();
    expect(failures).toBeGreaterThanOrEqual(40);
    expect(await database.query('select count(*) as n from verdicts')).toEqual([{ n: 15 }]);
    const letters = log.topics.get(topics['dead-letters']) ?? [];
    expect(letters.map(({ text }) => text)).toEqual(['no JSON']);
  });
});
