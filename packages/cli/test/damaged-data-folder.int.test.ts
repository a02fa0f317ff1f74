import { cp, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliProcess, freePort, spawnCli, type TempDir, tempDir, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataDir } from '../../server/test/server-runs.ts';
import { interleavedSamples } from './worker-runs.ts';

type Json = Record<string, unknown>;

/** Verdicts, sessions, triage, control and dead letters, of one partition each. */
const FEEDS = 5;

const LOST = 'The database is gone, and is rebuilt from the log. What only the database held is lost:';

const processes: CliProcess[] = [];

function run(args: readonly string[]): CliProcess {
  const cli = spawnCli(args);
  processes.push(cli);
  return cli;
}

/** `loopwatch start` on a data folder, without the sample sessions that it plays. */
async function start(dir: string) {
  const port = String(await freePort());
  const cli = run(['start', '--no-samples', '--port', port, '--data-dir', dir]);
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
    const lagOfTask = 'loopwatch_consumer_lag{topic="loopwatch.events",partition="0"} 0';
    await waitFor(async () => (await (await request('/metrics')).text()).includes(lagOfTask));
    await waitFor(async () => (await request('/readyz')).status === 200);
    await waitFor(async () => {
      const { log } = (await get('/status')) as {
        log: { topics: { partitions: { lag: number | null }[] }[] };
      };
      const lags = log.topics.flatMap(({ partitions }) => partitions.map(({ lag }) => lag ?? 0));
      return lags.length === FEEDS && lags.every((lag) => lag === 0);
    });
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

/** The data folder of a process that has ended, and what it served and said. */
let original: TempDir;
let before: Awaited<ReturnType<Awaited<ReturnType<typeof start>>['served']>>;
let said: string;

beforeAll(async () => {
  original = await tempDir();
  const first = await start(original.path);
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
  before = await first.served();
  expect(await first.stop()).toBe(0);
  said = outputOf(first.cli);
});

afterAll(async () => {
  await Promise.all(processes.map((cli) => cli.stop('SIGKILL')));
  await original.remove();
});

async function copied(): Promise<string> {
  const dir = await dataDir();
  await cp(original.path, dir, { recursive: true });
  return dir;
}

function outputOf({ stdout, stderr }: CliProcess): string {
  return [...stdout, ...stderr].join('\n');
}

it('start: the log is enough for everything that was served, and what it lacks is said', async () => {
  const dir = await copied();
  const found = before.sums.map((one) => one['found'] ?? (one['total'] as Json)['incidents']);
  expect(Math.min(...(found as number[]))).toBeGreaterThan(0);
  for (const name of await readdir(dir)) if (name !== 'log') await rm(join(dir, name), { recursive: true });
  for (const name of await readdir(join(dir, 'log')))
    if (!name.startsWith('log.db')) await rm(join(dir, 'log', name), { recursive: true });
  const again = await start(dir);
  expect(await again.served()).toEqual(before);
  expect(outputOf(again.cli)).toContain(LOST);
  await again.stop();
});

it('start: a new data folder has lost nothing', () => {
  expect(said).not.toContain(LOST);
});

it.each([
  ['database', 'db/pglite/global/pg_control'],
  ['log', 'log/log.db'],
])('start: names damage to the %s, and the printed command mends it', async (part, file) => {
  const dir = await copied();
  // A page less, which held nothing yet: the log ends with one that only the checksums miss.
  await truncate(join(dir, file), part === 'log' ? 8192 : 4096);
  const damaged = run(['start', '--no-samples', '--port', '0', '--data-dir', dir]);
  expect(await damaged.exited).toBe(1);
  const refusal = damaged.stderr.join('\n');
  expect(refusal).toMatch(
    new RegExp(`damaged: .*${file.split('/').at(-1) ?? ''} has \\d+ bytes instead of \\d+`),
  );
  expect(refusal).not.toContain('    at ');
  const command = /run: loopwatch (.*)$/m.exec(refusal)?.[1]?.split(' ') ?? [];
  expect(command.slice(0, 2)).toEqual(['repair', part]);
  const repair = run(command);
  expect(await repair.exited).toBe(0);
  expect(repair.stdout.join('\n')).toContain(`The damaged files are in ${join(dir, 'damaged')}`);
  const again = await start(dir);
  const after = await again.served();
  if (part === 'database') expect(after).toEqual(before);
  // What the log has lost, the database still has.
  else expect({ ...after, details: [], set: {} }).toEqual({ ...before, details: [], set: {} });
  await again.stop();
});
