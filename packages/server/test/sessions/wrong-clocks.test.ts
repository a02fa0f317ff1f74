import type { SessionSummary } from '@loopwatch/contract';
import type { IncidentPage, Overview, SessionPage } from '@loopwatch/contract/api';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { removeIncidents, removeSessions } from '../../src/retention/remove-oldest.ts';
import { credibleTimes } from '../../src/sessions/credible-times.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const MINUTE = 60_000;
const DAY = 86_400_000;
const FUTURE = Date.UTC(2099, 0, 1);

it.each<[clock: string, told: [number, number], credible: [number, number]]>([
  ['right', [START - MINUTE, START - 5], [START - MINUTE, START - 5]],
  ['of history', [START - 9 * DAY, START - 8 * DAY], [START - 9 * DAY, START - 8 * DAY]],
  ['a little ahead', [START - MINUTE, START + 2_000], [START - MINUTE, START]],
  ['in 2099', [FUTURE, FUTURE + MINUTE], [START - MINUTE, START]],
  ['in 1970', [0, MINUTE], [START - MINUTE, START]],
  ['in seconds', [(START - MINUTE) / 1_000, START / 1_000], [START - MINUTE / 1_000, START]],
  ['that was set right', [FUTURE, START - MINUTE], [START - MINUTE, START - MINUTE]],
  ['that was set wrong', [START - MINUTE, FUTURE], [START - MINUTE, START]],
  ['without a bound', [-8.64e15, 8.64e15], [START, START]],
])('a session with a clock %s', (_, [startedAt, lastEventAt], credible) => {
  const times = credibleTimes({ startedAt, lastEventAt }, START);
  expect([times.startedAt, times.lastEventAt]).toEqual(credible);
});

it('events of 2099 and 1970 count as of now: in lists, charts, ranges and incidents', async () => {
  let now = START;
  const { url, log, server, stored } = await startServer({ openDatabase: emptyDatabase, now: () => now });
  const get = async (path: string) => (await fetch(`${url}/api/v1/${path}`)).json();
  for (const [sessionId, time] of [
    ['ahead', FUTURE],
    ['behind', 1_000],
    ['right', START - MINUTE / 2],
  ] as const) {
    const times: Partial<SessionSummary> = { startedAt: time, lastEventAt: time };
    const told = JSON.stringify(summary(sessionId, times));
    log.append(topics.sessions, told, { key: sessionId, timestamp: START });
    log.appendVerdict(verdict({ incidentId: sessionId, sessionId, time, detectedAt: START }));
  }
  await stored();
  const { items } = (await get('sessions?sort=-lastEventAt')) as SessionPage;
  expect(items.map(({ sessionId, lastEventAt, startedAt }) => [sessionId, startedAt, lastEventAt])).toEqual([
    ['behind', START, START],
    ['ahead', START, START],
    ['right', START - MINUTE / 2, START - MINUTE / 2],
  ]);
  expect(items.map(({ clockOffMs }) => clockOffMs)).toEqual([1_000 - START, FUTURE - START, undefined]);
  const range = `from=${String(START - 10 * MINUTE)}&to=${String(START + MINUTE)}`;
  const overview = (await get(`overview?${range}`)) as Overview;
  expect(overview).toMatchObject({ found: 3, open: 3, liveSessions: 3, firstAt: START - MINUTE / 2 });
  expect(overview.buckets.reduce((most, bucket) => Math.max(most, bucket.activeSessions), 0)).toBe(2);
  expect(overview.buckets.filter(({ activeSessions }) => activeSessions > 0)).toHaveLength(2);
  const incidents = (await get('incidents?sort=-lastAt')) as IncidentPage;
  expect(incidents.items.map(({ lastAt, openedAt }) => [openedAt, lastAt])).toEqual([
    [START, START],
    [START, START],
    [START - MINUTE / 2, START - MINUTE / 2],
  ]);
  // Nothing more happens, so nothing loops any more.
  now += 2 * MINUTE;
  expect(((await get('incidents?open=true')) as IncidentPage).items).toEqual([]);
  expect(await get(`overview?${range}`)).toMatchObject({ open: 0, quiet: 3 });
  await server.stop();
});

onBothDatabases(({ make }) => {
  it.each([
    ['quiet in its time, if it was active until just now', 1_000, MINUTE - 1, 'live'],
    ['idle, if it was silent for long', START - 60 * MINUTE, MINUTE, 'idle'],
  ] as const)('a session that expires is %s', async (_, time, after, state) => {
    const { database } = await make();
    const told = summary('s-1', { startedAt: time, lastEventAt: time });
    const active = { id: 's-1', summary: { ...told, ...credibleTimes(told, START) }, at: START };
    await writeSummaries(database, [active]);
    await writeSummaries(database, [{ id: 's-1', summary: null, at: START + after }]);
    expect(await database.query('select state from sessions')).toEqual([{ state }]);
  });

  it('one event of a clock that is behind deletes no session that was active', async () => {
    const { database } = await make();
    for (const lastEventAt of [START, START - 40 * DAY])
      await writeSummaries(database, [{ id: 's-1', summary: summary('s-1', { lastEventAt }), at: START }]);
    expect(await removeSessions(database, { limit: 9, before: START - 30 * DAY })).toBe(0);
    expect(await removeSessions(database, { limit: 9, before: START + 1 })).toBe(1);
  });

  it('retention deletes incidents and sessions of 2099 when they are old, and history at once', async () => {
    const { database } = await make();
    for (const [id, time] of [
      ['ahead', FUTURE],
      ['history', START - 40 * DAY],
    ] as const) {
      const found = verdict({ incidentId: id, sessionId: id, time, detectedAt: START });
      await writeVerdicts(database, [{ verdict: found, arrivedAt: START }]);
      const told = summary(id, { startedAt: time, lastEventAt: time });
      await writeSummaries(database, [
        { id, summary: { ...told, ...credibleTimes(told, START) }, at: START },
      ]);
    }
    const removed = async (before: number) => [
      await removeIncidents(database, { limit: 9, before }),
      await removeSessions(database, { limit: 9, before }),
    ];
    expect(await removed(START - 30 * DAY)).toEqual([1, 1]);
    expect(await removed(START)).toEqual([0, 0]);
    expect(await removed(START + 1)).toEqual([1, 1]);
  });
});
