import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, spawnCli } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { dataDir } from '../../server/test/server-runs.ts';

type Json = Record<string, unknown>;

/** A word that cannot be compressed away, and that nothing else contains. */
const SECRET = 'Zq7-erase-me-X93';

async function start(dir: string) {
  const port = String(await freePort());
  const cli = spawnCli(['start', '--no-samples', '--port', port, '--data-dir', dir]);
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  await cli.line(/Loopwatch .* is at http/);
  const url = `http://127.0.0.1:${port}`;
  const request = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/api/v1${path}`, init);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = async (sessionId: string, word: string, tags = {}) => {
    // Long, so that the database stores it apart from its row.
    const filler = Array.from({ length: 300 }, (_, i) => `${word}${String(i)}`).join(' ');
    const common = { sessionId, tenant: 'acme', agent: 'coder', tags };
    const calls = Array.from({ length: 8 }, () => [
      { ...common, type: 'turn_started' },
      { ...common, type: 'tool_call_request', name: 'read_file', args: { path: `${word}.ts` } },
      { ...common, type: 'tool_result', result: `${word} is not found` },
    ]).flat();
    const events = [
      { ...common, type: 'prompt_started', text: `Please read ${word}: ${filler}` },
      ...calls,
      { ...common, type: 'content', text: `${word} ${word}` },
    ];
    const { status } = await request('/events', { method: 'POST', body: JSON.stringify(events) });
    expect(status).toBe(202);
  };
  const incidentsOf = async (sessionId: string) =>
    (await request(`/incidents?sessionId=${sessionId}`)).body['items'] as Json[];
  return { cli, url, request, post, incidentsOf };
}

/** The files that contain a text. */
async function filesWith(dir: string, text: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path.slice(dir.length));
  }
  return found;
}

it('erasure: no byte of a session stays in the data folder, and later events begin a new session', async () => {
  const dir = await dataDir();
  const first = await start(dir);
  await first.post('s-gone', SECRET);
  await first.post('s-stays', 'Keep-this-word');
  await expect.poll(() => first.incidentsOf('s-gone')).toHaveLength(1);
  await expect.poll(() => first.incidentsOf('s-stays')).toHaveLength(1);
  const [incident] = await first.incidentsOf('s-gone');
  const note = { status: 'acknowledged', note: `seen ${SECRET}` };
  const patch = { method: 'PATCH', body: JSON.stringify(note) };
  expect(await first.request(`/incidents/${String(incident?.['id'])}`, patch)).toMatchObject({ status: 200 });
  expect(await filesWith(dir, SECRET)).not.toEqual([]);

  const erased = await first.request('/sessions/s-gone', { method: 'DELETE' });
  expect(erased).toMatchObject({ status: 200, body: { sessions: 1, incidents: 1 } });
  expect(await filesWith(dir, SECRET)).toEqual([]);
  expect(await filesWith(dir, 'Keep-this-word')).not.toEqual([]);
  expect(await first.request('/sessions/s-gone')).toMatchObject({ status: 404 });
  expect(await first.incidentsOf('s-stays')).toHaveLength(1);
  expect((await first.request('/audit')).body['items']).toMatchObject([
    { action: 'session.erased', subject: 'session:s-gone', actor: 'operator', address: '127.0.0.1' },
  ]);

  const later = { sessionId: 's-gone', type: 'content', text: 'a later word' };
  await first.request('/events', { method: 'POST', body: JSON.stringify(later) });
  await expect
    .poll(async () => (await first.request('/sessions/s-gone')).body)
    .toMatchObject({ events: 1, toolCalls: 0 });
  await first.cli.stop('SIGTERM');
  expect(await filesWith(dir, SECRET)).toEqual([]);

  // The worker reads what the log holds again.
  const second = await start(dir);
  await expect
    .poll(async () => (await second.request('/sessions/s-gone')).body)
    .toMatchObject({ events: 1, toolCalls: 0 });
  expect(await second.incidentsOf('s-gone')).toEqual([]);
  expect(await second.incidentsOf('s-stays')).toHaveLength(1);
});

it('erasure: a start finishes what a kill has interrupted', async () => {
  const dir = await dataDir();
  const first = await start(dir);
  await first.post('s-gone', SECRET);
  await first.post('s-stays', 'Keep-this-word');
  await expect.poll(() => first.incidentsOf('s-gone')).toHaveLength(1);
  const erased = first.request('/sessions/s-gone', { method: 'DELETE' }).catch(() => undefined);
  // Its rows are deleted before the rest.
  await expect.poll(async () => (await first.request('/sessions/s-gone')).status, { interval: 5 }).toBe(404);
  await first.cli.stop('SIGKILL');
  await erased;

  const second = await start(dir);
  await expect
    .poll(async () => (await second.request('/audit')).body['items'])
    .toMatchObject([{ subject: 'session:s-gone', detail: { sessions: 1, incidents: 1 } }]);
  expect(await filesWith(dir, SECRET)).toEqual([]);
  expect(await filesWith(dir, 'Keep-this-word')).not.toEqual([]);
  expect(await second.request('/sessions/s-gone')).toMatchObject({ status: 404 });
  expect(await second.incidentsOf('s-gone')).toEqual([]);
});

it('erasure: by tag and by tenant, also as a command', async () => {
  const dir = await dataDir();
  const server = await start(dir);
  await server.post('s-1', 'one', { customer: '4711' });
  await server.post('s-2', 'two', { customer: '4712' });
  const ids = async () =>
    ((await server.request('/sessions')).body['items'] as Json[]).map((one) => one['sessionId']).sort();
  await expect.poll(ids).toEqual(['s-1', 's-2']);
  expect(await server.request('/sessions', { method: 'DELETE' })).toMatchObject({ status: 400 });

  const byTag = spawnCli(['erase', '--tag', 'customer:4711', '--yes', '--server', server.url]);
  expect(await byTag.exited).toBe(0);
  expect(byTag.stdout).toContain('Erased 1 session, 1 incident, 0 messages');
  expect(await ids()).toEqual(['s-2']);
  // As from a variable of the shell that is not set.
  const unnamed = spawnCli(['erase', '--session', '', '--yes', '--server', server.url]);
  expect(await unnamed.exited).toBe(2);
  expect(unnamed.stderr).toEqual(['--session is empty: pass the session to erase']);
  expect(await ids()).toEqual(['s-2']);
  const query = { method: 'DELETE' };
  expect(await server.request('/sessions?tenant=acme', query)).toMatchObject({ body: { sessions: 1 } });
  expect(await ids()).toEqual([]);
});
