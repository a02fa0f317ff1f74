import type { Deploy } from '@loopwatch/contract/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { listDeploys } from '../../src/deploys/list-deploys.ts';
import { removeDeploys } from '../../src/deploys/write-deploys.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { startServer } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onBothDatabases(({ make }) => {
  const filled = async (...sessions: [agent: string | null, version: string | undefined, at: number][]) => {
    const { database } = await make();
    for (const [index, [agent, agentVersion, at]] of sessions.entries()) {
      const id = `s-${String(index)}`;
      const part = {
        agent,
        startedAt: at,
        lastEventAt: at + 1,
        ...(agentVersion !== undefined && { agentVersion }),
      };
      await database.transaction((tx) => writeSummaries(tx, [{ id, summary: summary(id, part), at }]));
    }
    return database;
  };
  const read = async (database: Awaited<ReturnType<typeof filled>>) =>
    (await listDeploys(database, {}, 200)).map(({ agent, version, at }) => [agent, version, at - START]);

  it('deploys: the first version of an agent replaces none, and the next ones start with their first session', async () => {
    const database = await filled(
      ['a', '1', START],
      ['a', '2', START + 2 * HOUR],
      ['a', '2', START + HOUR],
      ['b', '2', START + HOUR],
      [null, '1', START],
      [null, '2', START + 3 * HOUR],
      ['a', undefined, START + 4 * HOUR],
    );
    expect(await read(database)).toEqual([
      [null, '2', 3 * HOUR],
      ['a', '2', HOUR],
    ]);
  });

  it('deploys: a late session moves a version back, and one of an older version is none', async () => {
    const database = await filled(['a', '1', START], ['a', '2', START + HOUR], ['a', '1', START + 2 * HOUR]);
    expect(await read(database)).toEqual([['a', '2', HOUR]]);
  });

  it('deploys: retention keeps versions that sessions still report', async () => {
    const database = await filled(
      ['a', '1', START],
      ['a', '2', START + HOUR],
      ['a', '3', START + 2 * HOUR],
      ['a', '1', START + 3 * DAY],
      ['a', '2', START + 3 * DAY],
    );
    await removeDeploys(database, START + 2 * DAY);
    expect(await read(database)).toEqual([['a', '2', HOUR]]);
  });
});

const emptyDatabase = sharedPglite();
let url: string;
let server: LoopwatchServer;

beforeEach(async () => {
  ({ url, server } = await startServer({ openDatabase: emptyDatabase, now: () => START }));
});

afterEach(() => server.stop());

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v1/deploys${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as unknown };
}

it('deploys: one that is posted is listed until it is deleted', async () => {
  const posted = await send('POST', '', { version: '2.4.0', agent: 'a', note: 'new prompt' });
  expect(posted).toMatchObject({ status: 201, body: { at: START, source: 'posted', note: 'new prompt' } });
  await send('POST', '', { version: '2.5.0', at: START - HOUR });
  const list = async (query: string) => ((await send('GET', query)).body as { items: Deploy[] }).items;
  expect((await list('')).map(({ version }) => version)).toEqual(['2.4.0', '2.5.0']);
  expect((await list('?agent=b')).map(({ version }) => version)).toEqual(['2.5.0']);
  expect(await list(`?from=${String(START - 1)}&agent=b`)).toEqual([]);
  const { id } = posted.body as Deploy;
  expect((await send('DELETE', `/${id}`)).status).toBe(204);
  expect((await send('DELETE', `/${id}`)).status).toBe(404);
  expect((await list('')).map(({ version }) => version)).toEqual(['2.5.0']);
});

it('deploys: a body without a version, of tomorrow or with an unknown key is refused', async () => {
  for (const body of [{}, { version: '' }, { version: '1', at: START + DAY }, { version: '1', when: 1 }])
    expect((await send('POST', '', body)).status, JSON.stringify(body)).toBe(400);
  const { body } = await send('POST', '', { version: '1', at: START + DAY });
  expect(JSON.stringify(body)).toContain('is in the future');
});
