import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Database, DatabaseUnavailable } from '@loopwatch/storage';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../src/index.ts';
import type { MemoryLog } from './memory-log.ts';
import { startServer, topics } from './running-server.ts';
import { START, verdict } from './verdicts.ts';

let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let dashboardDir: string;
let ready = true;
let stored: () => Promise<void>;
const emptyDatabase = sharedPglite();

beforeAll(() => {
  dashboardDir = mkdtempSync(join(tmpdir(), 'loopwatch-dashboard-'));
  mkdirSync(join(dashboardDir, 'assets'));
  writeFileSync(join(dashboardDir, 'index.html'), '<!doctype html><title>Loopwatch</title>');
  writeFileSync(join(dashboardDir, 'assets/index-abc123.js'), 'export {};');
  writeFileSync(join(dashboardDir, 'assets/analyze.worker-abc123.js'), '');
  writeFileSync(join(dashboardDir, 'theme.js'), '');
  writeFileSync(join(dashboardDir, 'assets/index-abc123.js.br'), brotliCompressSync('export {};'));
  writeFileSync(join(dashboardDir, 'assets/index-abc123.js.gz'), gzipSync('export {};'));
});

afterAll(() => rmSync(dashboardDir, { recursive: true }));

beforeEach(async () => {
  ready = true;
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    dashboardDir,
    now: () => START,
    readiness: () => Promise.resolve({ broker: ready ? { ok: true } : { ok: false, detail: 'gone' } }),
  }));
});

afterEach(() => server.stop());

async function get(path: string, init?: RequestInit) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, headers: response.headers, type, text, body: parse(text) };
}

// oxlint-disable-next-line typescript/no-explicit-any
function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('incidents API', () => {
  beforeEach(async () => {
    for (let n = 1; n <= 5; n += 1) {
      const detector = n % 2 === 0 ? 'content-repeat' : 'tool-repeat';
      log.appendVerdict(
        verdict({ incidentId: `i-${String(n)}`, detector, time: START + n, agent: `agent-${String(n)}` }),
      );
    }
    log.appendVerdict(verdict({ incidentId: 'i-5', phase: 'resolved', count: 9, time: START + 100 }));
    await stored();
  });

  const filters: [string, string[]][] = [
    ['', ['i-5', 'i-4', 'i-3', 'i-2', 'i-1']],
    ['?state=open', ['i-4', 'i-3', 'i-2', 'i-1']],
    ['?detector=content-repeat', ['i-4', 'i-2']],
    ['?detector=content-repeat&detector=tool-repeat&state=resolved', ['i-5']],
    ['?agent=agent-3', ['i-3']],
    ['?model=none', []],
    ['?limit=2', ['i-5', 'i-4']],
  ];

  it.each(filters)('filters by the query "%s"', async (query, ids) => {
    const { status, body } = await get(`/api/v1/incidents${query}`);
    expect(status).toBe(200);
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(ids);
  });

  it('pages neither repeat nor skip incidents while new ones arrive', async () => {
    const first = await get('/api/v1/incidents?limit=2');
    log.appendVerdict(verdict({ incidentId: 'i-6', time: START + 60 }));
    await stored();
    const second = await get(`/api/v1/incidents?limit=2&cursor=${first.body.nextCursor}`);
    const third = await get(`/api/v1/incidents?limit=2&cursor=${second.body.nextCursor}`);
    const ids = [first, second, third].flatMap(({ body }) =>
      body.items.map((item: { id: string }) => item.id),
    );
    expect(ids).toEqual(['i-5', 'i-4', 'i-3', 'i-2', 'i-1']);
    expect(third.body.nextCursor).toBeNull();
  });

  it('returns one incident with evidence and history', async () => {
    const { body } = await get('/api/v1/incidents/i-5');
    expect(body).toMatchObject({ id: 'i-5', state: 'resolved', evidence: { matching: 'exact' } });
    expect(body.verdicts).toHaveLength(2);
    const missing = await get('/api/v1/incidents/i-99');
    expect(missing.status).toBe(404);
    expect(missing.type).toContain('application/problem+json');
  });

  it('lists verdicts, newest first', async () => {
    const { body } = await get('/api/v1/verdicts?phase=resolved');
    expect(body.items).toHaveLength(1);
    const first = await get('/api/v1/verdicts?limit=4');
    const second = await get(`/api/v1/verdicts?limit=4&cursor=${first.body.nextCursor}`);
    expect(first.body.items[0].phase).toBe('resolved');
    expect(second.body.items.map((item: { incidentId: string }) => item.incidentId)).toEqual(['i-2', 'i-1']);
    const oldestFirst = await get('/api/v1/verdicts?sort=detectedAt');
    expect(oldestFirst.body.items.toReversed()).toEqual([...first.body.items, ...second.body.items]);
  });

  it('counts incidents', async () => {
    const { body } = await get('/api/v1/stats');
    expect(body.current).toMatchObject({ open: 4, found: 5, resolved: { recovered: 1 }, dropped: 0 });
  });
});

it.each([
  ['/api/v1/incidents?q=%00', 200],
  ['/api/v1/sessions?model=%00', 200],
  ['/api/v1/incidents/%00', 404],
  ['/api/v1/settings/session%3A%00', 200],
])('API: answers %s, which contains a NUL character, with %i', async (path, status) => {
  expect((await get(path)).status).toBe(status);
});

describe('an invalid parameter is rejected with its name and what is allowed', () => {
  const cases: [string, string, RegExp][] = [
    ['/api/v1/incidents?state=closed', 'state', /one of open, quiet, resolved/],
    ['/api/v1/incidents?detector=loop', 'detector', /tool-repeat/],
    ['/api/v1/incidents?limit=0', 'limit', /1 to 200/],
    ['/api/v1/incidents?limit=many', 'limit', /1 to 200/],
    ['/api/v1/incidents?color=red', 'color', /expected one of q, detector/],
    ['/api/v1/incidents?from=yesterday', 'from', /epoch milliseconds, or a time such as/],
    ['/api/v1/incidents?from=last%207', 'from', /epoch milliseconds, or a time such as/],
    ['/api/v1/stats?to=2026-02-30T00:00:00Z', 'to', /epoch milliseconds, or a time such as/],
    ['/api/v1/incidents?cursor=zzz', 'cursor', /nextCursor/],
    ['/api/v1/verdicts?phase=shut', 'phase', /escalated/],
  ];

  it.each(cases)('%s', async (path, parameter, allowed) => {
    const { status, type, body } = await get(path);
    expect(status).toBe(400);
    expect(type).toContain('application/problem+json');
    expect(body.errors[0].parameter).toBe(parameter);
    expect(body.detail).toMatch(allowed);
  });
});

it.each([
  '1796040000000',
  '2026-11-30T12:00:00Z',
  '2026-11-30T14:00:00%2B02:00',
  '2026-11-30T14:00:00+02:00',
])('API: %s is a time', async (to) => {
  const { status, body } = await get(`/api/v1/stats?from=1796000000000&to=${to}`);
  expect(status).toBe(200);
  expect(body.to).toBe(1_796_040_000_000);
});

describe('health', () => {
  it('distinguishes liveness from readiness', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    ready = false;
    expect((await get('/healthz')).status).toBe(200);
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      body: {
        status: 'not ready',
        checks: { broker: { ok: false, detail: 'gone' }, verdicts: { ok: true }, database: { ok: true } },
      },
    });
  });

  it('labels request metrics by route pattern', async () => {
    await get('/api/v1/incidents/secret-id');
    const { text, type } = await get('/metrics');
    expect(type).toContain('text/plain');
    expect(text).toContain('route="/api/v1/incidents/:id"');
    expect(text).not.toContain('secret-id');
  });

  it('counts unreadable verdict records, and continues', async () => {
    log.append(topics.verdicts, 'not json');
    log.append(topics.verdicts, '{"v":1}');
    log.appendVerdict(verdict());
    await stored();
    expect((await get('/api/v1/incidents')).body.items).toHaveLength(1);
    expect((await get('/metrics')).text).toContain(
      'loopwatch_server_verdicts_read_total{result="unreadable"} 2',
    );
  });
});

it('metrics cover the database, the feeds and backtests', async () => {
  log.appendVerdict(verdict());
  await stored();
  const { text } = await get('/metrics');
  const value = (line: string): number => Number(text.split(`\n${line} `)[1]?.split('\n')[0] ?? Number.NaN);
  expect(value('loopwatch_server_feed_position{topic="loopwatch.verdicts",partition="0"}')).toBe(1);
  expect(value('loopwatch_server_feed_lag{topic="loopwatch.verdicts",partition="0"}')).toBe(0);
  expect(value('loopwatch_server_database_duration_seconds_count{work="transaction"}')).toBeGreaterThan(0);
  expect(value('loopwatch_server_database_duration_seconds_count{work="query"}')).toBeGreaterThan(0);
  const connections = (state: string) => value(`loopwatch_server_database_connections{state="${state}"}`);
  expect(connections('busy') + connections('idle')).toBe(1);
  expect(value('loopwatch_server_backtests{status="running"}')).toBe(0);
  expect(value('loopwatch_server_retention_last_run_timestamp_seconds')).toBe(0);
});

describe('pages', () => {
  it.each(['/', '/incidents', '/incidents/i-1', '/status'])('serves the dashboard at %s', async (path) => {
    const { status, text, headers } = await get(path);
    expect(status).toBe(200);
    expect(text).toContain('<title>Loopwatch</title>');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
  });

  it('caches files with a hash in their name', async () => {
    expect((await get('/assets/index-abc123.js')).headers.get('cache-control')).toContain('immutable');
    expect((await get('/theme.js')).headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['/assets/index-abc123.js', 'gzip', false],
    ['/assets/index-abc123.js', 'identity', false],
    ['/theme.js', 'identity', false],
    ['/assets/analyze.worker-abc123.js', 'identity', true],
    ['/assets/gone.js', 'identity', true],
    ['/', 'identity', true],
  ])('%s as %s has the headers of documents: %s', async (path, encoding, isDocument) => {
    const { headers } = await get(path, { headers: { 'accept-encoding': encoding, accept: 'text/html' } });
    expect(headers.has('content-security-policy')).toBe(isDocument);
    expect(headers.has('cross-origin-opener-policy')).toBe(isDocument);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/assets/gone.js', 404],
    ['GET', '/api/v1/nowhere', 404],
    ['DELETE', '/api/v1/incidents', 405],
    ['GET', '/api/v1/events', 405],
    ['GET', '/incidents/%', 400],
  ])('answers %s %s with a problem and status %i', async (method, path, status) => {
    const answer = await get(path, { method });
    expect(answer.status).toBe(status);
    expect(answer.type).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ status, instance: path });
  });

  it.each(['/v1/chat/completions', '/v1/messages', '/v1beta/models/gemini-3-pro:generateContent'])(
    'tells a client of the gateway that its port is wrong, at %s',
    async (path) => {
      const { status, body } = await get(path, { method: 'POST' });
      expect([status, body]).toMatchObject([404, { detail: expect.stringContaining('port 4610') }]);
    },
  );

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('lets the dashboard show "not found" to browsers', async () => {
    const { status, text, headers } = await get('/nowhere', { headers: { accept: browser } });
    expect(status).toBe(404);
    expect(text).toContain('<title>Loopwatch</title>');
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it.each(['/api/v1/nowhere', '/API/nowhere', '/assets/gone.js'])(
    'answers %s with a problem even to browsers',
    async (path) => {
      const answer = await get(path, { headers: { accept: browser } });
      expect([answer.status, answer.body]).toMatchObject([404, { status: 404, instance: path }]);
    },
  );

  it('explains when the dashboard is not built', async () => {
    const other = await startServer({ openDatabase: emptyDatabase });
    const response = await fetch(`${other.url}/`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run build');
    await other.server.stop();
  });
});

it('server: answers 503 and says when to retry while a table is locked', async () => {
  let isLocked = false;
  const other = await startServer({
    openDatabase: async () => {
      const database = await emptyDatabase();
      const query: Database['query'] = (sql, parameters) =>
        isLocked ? Promise.reject(new DatabaseUnavailable('lock timeout')) : database.query(sql, parameters);
      return { ...database, query };
    },
  });
  isLocked = true;
  const response = await fetch(`${other.url}/api/v1/incidents`);
  isLocked = false;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  await other.server.stop();
});

it('server: start fails on a port in use, and closes everything again', async () => {
  const { port } = new URL(url);
  await expect(startServer({ port: Number(port), openDatabase: emptyDatabase })).rejects.toThrow(
    'EADDRINUSE',
  );
});

describe('response compression', () => {
  const cases: [string, string, string | null][] = [
    ['/assets/index-abc123.js', 'gzip, deflate, br', 'br'],
    ['/assets/index-abc123.js', 'gzip', 'gzip'],
    ['/assets/index-abc123.js', 'identity', null],
    ['/api/v1/openapi.json', 'gzip', 'gzip'],
    ['/api/v1/openapi.json', 'identity', null],
    ['/api/v1/auth/me', 'gzip', null],
  ];
  it.each(cases)('encodes %s for a client that accepts %s', async (path, accepted, encoding) => {
    const answer = await get(path, { headers: { 'accept-encoding': accepted } });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(answer.text).toMatch(/^(?:export|\{)/);
    if (encoding !== null) expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
    const etag = answer.headers.get('etag') ?? '';
    const again = await get(path, {
      headers: { 'accept-encoding': accepted, 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
    if (path.startsWith('/assets')) expect(answer.headers.get('cache-control')).toContain('immutable');
  });
});
