import { afterEach, beforeEach, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { IncidentCache } from '../../src/guard/incident-cache.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
type Database = Awaited<ReturnType<typeof emptyDatabase>>;
let database: Database;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
let clock = START;

beforeEach(async () => {
  clock = START;
  const openDatabase = async () => (database = await emptyDatabase());
  ({ log, server, stored } = await startServer({ openDatabase, now: () => clock }));
});
afterEach(() => server.stop());

/** What another server would store: this one's guard is told nothing by it. */
async function found(incidentId: string): Promise<void> {
  log.appendVerdict(verdict({ id: `v-${incidentId}`, incidentId, sessionId: 's-1', action: 'block' }));
  await stored();
}
const clocks = { now: () => clock, monotonic: () => clock };

const idsOf = async (known: IncidentCache, session = 's-1') =>
  (await known.of(session)).map(({ incident }) => incident.incidentId).sort();
/** A database that counts what it is asked. */
function counting(): { database: Database; asked: () => number } {
  let asked = 0;
  const query: Database['query'] = (...args) => {
    asked += 1;
    return database.query(...args);
  };
  return { database: { ...database, query }, asked: () => asked };
}

it('incident cache: reads a session once', async () => {
  await found('i-1');
  const { database: counted, asked } = counting();
  const known = new IncidentCache(counted, clocks, 10);
  expect([await idsOf(known), await idsOf(known), await idsOf(known)]).toEqual([['i-1'], ['i-1'], ['i-1']]);
  expect(asked()).toBe(1);
});

it('incident cache: changes of this server apply at once', async () => {
  const known = new IncidentCache(database, clocks, 10);
  expect(await idsOf(known)).toEqual([]);
  await found('i-1');
  expect(await idsOf(known)).toEqual([]);
  known.reload('s-1');
  expect(await idsOf(known)).toEqual(['i-1']);
  await found('i-2');
  known.clear();
  expect(await idsOf(known)).toEqual(['i-1', 'i-2']);
});

it('incident cache: refreshes in the background, and waits when too old', async () => {
  const known = new IncidentCache(database, clocks, 10);
  expect(await idsOf(known)).toEqual([]);
  await found('i-1');
  clock += 1_000;
  expect(await idsOf(known)).toEqual([]);
  await expect.poll(() => idsOf(known)).toEqual(['i-1']);
  await found('i-2');
  clock += 10_000;
  expect(await idsOf(known)).toEqual(['i-1', 'i-2']);
});

it('incident cache: reads again although the wall clock was set back', async () => {
  let ahead = 0;
  const known = new IncidentCache(database, { ...clocks, now: () => clock + ahead }, 10);
  expect(await idsOf(known)).toEqual([]);
  await found('i-1');
  ahead = -3_600_000;
  clock += 10_000;
  expect(await idsOf(known)).toEqual(['i-1']);
});

it('incident cache: evicts the least recently used session', async () => {
  const { database: counted, asked } = counting();
  const known = new IncidentCache(counted, clocks, 2);
  for (const session of ['s-1', 's-2', 's-1', 's-3', 's-1']) await known.of(session);
  expect(asked()).toBe(3);
  await known.of('s-2');
  expect(asked()).toBe(4);
});

it('incident cache: retries after a failed read', async () => {
  let isDown = true;
  const query: Database['query'] = (...args) =>
    isDown ? Promise.reject(new Error('away')) : database.query(...args);
  const known = new IncidentCache({ ...database, query }, clocks, 10);
  await expect(known.of('s-1')).rejects.toThrow('away');
  isDown = false;
  expect(await idsOf(known)).toEqual([]);
});
