import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, spawnCli } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { dataDir } from '../../server/test/server-runs.ts';
import { interleavedSamples } from './worker-runs.ts';

type Json = Record<string, unknown>;

const LOST = 'The database is gone, and is built again from the log. Lost is what only the database held:';

/** `loopwatch start` on a data folder, without the sample sessions that it plays. */
async function start(dir: string) {
  const port = String(await freePort());
  const cli = spawnCli(['start', '--no-samples', '--port', port, '--data-dir', dir]);
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  await cli.line(/Loopwatch .* is at http/);
  const request = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const get = async (path: string) => (await (await request(`/api/v1${path}`)).json()) as Json;
  const all = async (path: string): Promise<Json[]> => {
    const items: Json[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(`${path}?limit=100${cursor}`);
      items.push(...(page['items'] as Json[]));
      if (page['nextCursor'] === null) return items;
      cursor = `&cursor=${page['nextCursor'] as string}`;
    }
  };
  /** Resolves once all that was posted is analyzed and stored. */
  const settled = async () => {
    await expect
      .poll(async () =>
        (await request('/metrics'))
          .text()
          .then((text) => text.includes('loopwatch_consumer_lag{topic="loopwatch.events",partition="0"} 0')),
      )
      .toBe(true);
    await expect.poll(async () => (await request('/readyz')).status).toBe(200);
    await expect
      .poll(async () => {
        const { log } = (await get('/status')) as {
          log: { topics: { partitions: { lag: number | null }[] }[] };
        };
        return log.topics.flatMap(({ partitions }) => partitions.map(({ lag }) => lag ?? 0));
      })
      .toEqual([0, 0, 0, 0]);
  };
  /** Everything that is served then. Sums are kept for seconds, so a process is asked once, after all changes. */
  const served = async () => {
    await settled();
    const [verdicts, incidents, sessions, mutes] = [
      await all('/verdicts'),
      await all('/incidents'),
      await all('/sessions'),
      await get('/mutes'),
    ];
    const details: Json[] = [];
    for (const { id } of incidents) details.push(await get(`/incidents/${String(id)}`));
    for (const { id } of sessions) {
      details.push(await get(`/sessions/${encodeURIComponent(String(id))}`));
      details.push(await get(`/sessions/${encodeURIComponent(String(id))}/events`));
    }
    // The time of a change is the server's until it has read the change back from the log.
    const { set } = await get('/settings/server');
    // What statistics count, at the times of the events.
    const times = (name: string) => sessions.map((one) => one[name] as number);
    const range = `from=${String(Math.min(...times('startedAt')))}&to=${String(Math.max(...times('lastEventAt')) + 1)}`;
    const sums: Json[] = [await get(`/overview?${range}`)];
    for (const dimension of ['agent', 'model', 'tool', 'tenant', 'agentVersion', 'detector'])
      sums.push(await get(`/stats?${range}&groupBy=${dimension}&compare=previous`));
    // They tell when they were read.
    for (const name of ['asOf', 'sequence', 'readTo']) delete sums[0]?.[name];
    return { verdicts, incidents, sessions, mutes, details, set, sums };
  };
  return { cli, request, all, settled, served, stop: () => cli.stop() };
}

/** A data folder of a process that has ended, and what it served. */
async function analyzed() {
  const dir = await dataDir();
  const first = await start(dir);
  const posted = await first.request('/api/v1/events', {
    method: 'POST',
    body: interleavedSamples().join('\n'),
  });
  expect(posted.status).toBe(202);
  await first.settled();
  const incidents = await first.all('/incidents');
  expect(incidents.length).toBeGreaterThan(5);
  const send = async (method: string, path: string, body: object) =>
    (await first.request(path, { method, body: JSON.stringify(body) })).status;
  const patch = { status: 'acknowledged', note: 'seen' };
  expect(await send('PATCH', `/api/v1/incidents/${String(incidents[0]?.['id'])}`, patch)).toBe(200);
  const setting = { set: { 'tool_call_loop.max_repeats': 9 } };
  expect(await send('PUT', '/api/v1/settings/server', setting)).toBeLessThan(300);
  const before = await first.served();
  expect(await first.stop()).toBe(0);
  return { dir, before };
}

it('start: the log is enough for everything that was served, and what it lacks is said', async () => {
  const { dir, before } = await analyzed();
  const found = before.sums.map((one) => one['found'] ?? (one['total'] as Json)['incidents']);
  expect(Math.min(...(found as number[]))).toBeGreaterThan(0);
  for (const name of await readdir(dir)) if (name !== 'log') await rm(join(dir, name), { recursive: true });
  for (const name of await readdir(join(dir, 'log')))
    if (!name.startsWith('log.db')) await rm(join(dir, 'log', name), { recursive: true });
  const again = await start(dir);
  expect(await again.served()).toEqual(before);
  expect([...again.cli.stdout, ...again.cli.stderr].join('\n')).toContain(LOST);
});

it('start: a new data folder has lost nothing', async () => {
  const { cli } = await start(await dataDir());
  expect([...cli.stdout, ...cli.stderr].join('\n')).not.toContain(LOST);
});

it.each([
  ['database', 'db/pglite/global/pg_control'],
  ['log', 'log/log.db'],
])('start: names damage to the %s, and the printed command mends it', async (part, file) => {
  const { dir, before } = await analyzed();
  // A page less, which held nothing yet: the log ends with one that only the checksums miss.
  await truncate(join(dir, file), part === 'log' ? 8192 : 4096);
  const damaged = spawnCli(['start', '--no-samples', '--port', '0', '--data-dir', dir]);
  expect(await damaged.exited).toBe(1);
  const said = damaged.stderr.join('\n');
  expect(said).toMatch(
    new RegExp(`damaged: .*${file.split('/').at(-1) ?? ''} has \\d+ bytes instead of \\d+`),
  );
  expect(said).not.toContain('    at ');
  const command = /run: loopwatch (.*)$/m.exec(said)?.[1]?.split(' ') ?? [];
  expect(command.slice(0, 2)).toEqual(['repair', part]);
  const repair = spawnCli(command);
  expect(await repair.exited).toBe(0);
  expect(repair.stdout.join('\n')).toContain(`The damaged files are in ${join(dir, 'damaged')}`);
  const again = await start(dir);
  const after = await again.served();
  if (part === 'database') expect(after).toEqual(before);
  // What the log has lost, the database still has.
  else expect({ ...after, details: [], set: {} }).toEqual({ ...before, details: [], set: {} });
});
