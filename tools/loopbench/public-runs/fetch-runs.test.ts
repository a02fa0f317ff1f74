import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { tempDir } from '@loopwatch/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { datasets } from './datasets.ts';
import { fetchRuns } from './fetch-runs.ts';
import { RunCache } from './run-cache.ts';
import { type PublicRun, publicRuns } from './runs.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const path = 'hotpotqa_runs/root/ReAct/base/100_questions_5_trials.txt';
/** One call, `Search {"value":"x"}`. */
const fingerprint = '7e46c4f45d74c3c65f47055c55613b7f';
const log = `BEGIN TRIAL 1\nBEGIN HALTED AGENTS\n\nQuestion: q\nThought 1: t\nAction 1: Search[x]\nObservation 1: o\n`;
const run: PublicRun = {
  sessionId: 's',
  dataset: 'reflexion_hotpotqa',
  path,
  part: 'trial 1, halted 1',
  fingerprint,
};
const other: PublicRun = { ...run, sessionId: 'other', path: 'b c.txt' };

let server: Server;
let requests: IncomingMessage[];
let waits: number[];
let folder: Awaited<ReturnType<typeof tempDir>>;

/** Answers like raw.githubusercontent.com: an `ETag`, and ranges of a file. */
const serveFile: Handler = ({ headers }, response) => {
  const etag = '"v1"';
  const from =
    headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
  const rest = Buffer.from(log).subarray(from);
  const range = `bytes ${String(from)}-${String(log.length - 1)}/${String(log.length)}`;
  response.writeHead(from > 0 ? 206 : 200, {
    etag,
    'content-length': rest.length,
    ...(from > 0 && { 'content-range': range }),
  });
  response.end(rest);
};

/** Sends the first bytes of the file and breaks the connection. */
const breakOff: Handler = (_, response) => {
  response.writeHead(200, { etag: '"v1"', 'content-length': log.length });
  response.write(log.slice(0, 20), () => response.destroy());
};

/** Answers the first requests in these ways, then normally. */
async function serve(...handlers: Handler[]): Promise<string> {
  server = createServer((request, response) => {
    requests.push(request);
    (handlers.shift() ?? serveFile)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(code, headers).end();
  };

function fetchAll(from: string, runs: readonly PublicRun[] = [run]) {
  return fetchRuns(runs, {
    from,
    cache: new RunCache(folder.path),
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
}

beforeEach(async () => {
  requests = [];
  waits = [];
  folder = await tempDir();
});

afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  server.close();
  server.closeAllConnections();
});

it('fetch: gets each file once, and only the missing runs the next time', async () => {
  const from = await serve();
  expect(await fetchAll(from, [run, { ...run, sessionId: 's2' }])).toEqual({ fetched: 2, problems: [] });
  expect(await fetchAll(from, [run, other])).toEqual({ fetched: 1, problems: [] });
  const { repository, revision } = datasets['reflexion_hotpotqa'] as { repository: string; revision: string };
  expect(requests.map(({ url }) => url)).toEqual([
    `/${repository}/${revision}/${path}`,
    `/${repository}/${revision}/b%20c.txt`,
  ]);
  expect(new RunCache(folder.path).read(run).map(({ type }) => type)).toContain('tool_call_request');
});

it('fetch: waits as long as the server requests, otherwise with backoff', async () => {
  const from = await serve(status(429, { 'retry-after': '7' }), status(503), status(500));
  expect(await fetchAll(from)).toEqual({ fetched: 1, problems: [] });
  expect(waits).toEqual([7000, 2000, 4000]);
});

it('fetch: continues an interrupted response where it ended', async () => {
  const from = await serve(breakOff);
  expect(await fetchAll(from)).toEqual({ fetched: 1, problems: [] });
  expect(requests[1]?.headers).toMatchObject({ range: 'bytes=20-', 'if-range': '"v1"' });
});

it('fetch: starts again if the file changed while its response was interrupted', async () => {
  const from = await serve((_, response) => {
    response.writeHead(200, { etag: '"v0"', 'content-length': 100 });
    response.write('something else', () => response.destroy());
  });
  expect(await fetchAll(from)).toEqual({ fetched: 1, problems: [] });
});

it('fetch: names a missing file and fetches the others', async () => {
  const from = await serve(status(404));
  const { fetched, problems } = await fetchAll(from, [run, other]);
  expect(fetched).toBe(1);
  expect(problems).toEqual([expect.stringMatching(/\.txt: 404 Not Found\. .* left out; a mirror .* --from/)]);
});

it('fetch: stops when the server asks for a long pause', async () => {
  const from = await serve(...Array.from({ length: 9 }, () => status(429, { 'retry-after': '3600' })));
  const runs = Array.from({ length: 9 }, (_, i) => ({ ...run, sessionId: String(i), path: String(i) }));
  const { fetched, problems } = await fetchAll(from, runs);
  expect(fetched).toBe(0);
  expect(problems[0]).toMatch(
    /429 Too Many Requests\. The server asks to wait 60 minutes\. Run the command again/,
  );
  expect(requests.length).toBeLessThan(9);
  expect(waits).toEqual([]);
});

it('fetch: reports an unreachable server', async () => {
  const from = await serve();
  server.close();
  const { problems } = await fetchAll(from);
  expect(problems).toEqual([expect.stringMatching(/ECONNREFUSED.*, 6 times\. Check the connection/)]);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
});

it('fetch: omits runs that differ from the labelled ones or cannot be read', async () => {
  const from = await serve();
  const { fetched, problems } = await fetchAll(from, [
    { ...run, fingerprint: 'f'.repeat(32) },
    { ...run, sessionId: 'gone', part: 'trial 9, halted 1' },
  ]);
  expect(fetched).toBe(0);
  expect(problems).toEqual([
    expect.stringContaining(
      `s has changed since it was labelled (its calls have the fingerprint ${fingerprint}`,
    ),
    expect.stringContaining('gone cannot be read (no run trial 9, halted 1)'),
  ]);
  expect(new RunCache(folder.path).has(run)).toBe(false);
});

it('fetch: reads a folder with the files of the repositories', async () => {
  await serve();
  const { repository, revision } = datasets['reflexion_hotpotqa'] as { repository: string; revision: string };
  const file = join(folder.path, repository, revision, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, log);
  const { fetched, problems } = await fetchAll(folder.path, [run, other]);
  expect(fetched).toBe(1);
  expect(problems).toEqual([
    expect.stringContaining('b c.txt: no such file. A folder named with --from must'),
  ]);
  expect(requests).toEqual([]);
});

it('fetch: each run belongs to a known dataset and is listed once', () => {
  const runs = publicRuns();
  expect(new Set(runs.map(({ dataset }) => dataset))).toEqual(new Set(Object.keys(datasets)));
  expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(runs.length);
});
