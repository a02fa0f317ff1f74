import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backtest } from '@loopwatch/contract/api';
import { backtestSchema } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { BacktestJobs } from '../../src/backtests/backtest-jobs.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { silent, startServer, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

/** Sessions that call the same tool so many times, one event of each after the other. */
const calls: Readonly<Record<string, number>> = { 's-3': 3, 's-5': 5, 's-9': 9 };

beforeAll(async () => {
  const started = await startServer({ openDatabase: emptyDatabase });
  ({ url, log, server } = started);
  const places = new Map<string, number[]>();
  for (let n = 0; n < 9; n += 1) {
    for (const [sessionId, count] of Object.entries(calls)) {
      if (n >= count) continue;
      const event = { sessionId, type: 'tool_call_request', name: 'read', args: { a: 1 }, time: START + n };
      places.set(sessionId, [...(places.get(sessionId) ?? []), log.topics.get(topics.events)?.length ?? 0]);
      log.append(topics.events, JSON.stringify(event), { key: sessionId });
    }
  }
  for (const [sessionId, offsets] of places) {
    const source = {
      topic: topics.events,
      partition: 0,
      firstOffset: String(offsets[0]),
      lastOffset: String(offsets.at(-1)),
    };
    log.append(topics.sessions, JSON.stringify(summary(sessionId, { source, events: offsets.length })), {
      key: sessionId,
    });
  }
  for (const id of ['s-5', 's-9']) log.appendVerdict(verdict({ incidentId: `i-${id}`, sessionId: id }));
  await started.stored();
  const patch = (id: string, status: string) =>
    fetch(`${url}/api/v1/incidents/${id}`, { method: 'PATCH', body: JSON.stringify({ status }) });
  await patch('i-s-5', 'false_positive');
  await patch('i-s-9', 'acknowledged');
});

afterAll(() => server.stop());

async function start(body: unknown): Promise<{ status: number; body: Backtest }> {
  const response = await fetch(`${url}/api/v1/backtests`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Backtest };
}

async function finished(id: string): Promise<Backtest> {
  return waitFor(async () => {
    const job = (await (await fetch(`${url}/api/v1/backtests/${id}`)).json()) as Backtest;
    return job.finishedAt === null ? undefined : backtestSchema.parse(job);
  });
}

const at = (name: string, repeats: number) => ({ name, set: { 'tool_call_loop.max_repeats': repeats } });

it('backtest: reports incidents, precision and recall of other settings', async () => {
  const { status, body } = await start({
    variants: [at('low', 3), at('middle', 6), at('high', 50)],
    sessions: { from: 0 },
  });
  expect([status, body.status]).toEqual([202, 'queued']);
  const { result, progress } = await finished(body.id);
  expect(progress).toEqual({ done: 3, total: 3, events: 17 });
  expect(result?.variants).toMatchObject([
    { name: 'low', flagged: 3, truePositives: 1, falsePositives: 1, precision: 0.5, recall: 1 },
    {
      name: 'middle',
      flagged: 1,
      truePositives: 1,
      falsePositives: 0,
      trueNegatives: 1,
      precision: 1,
      recall: 1,
    },
    { name: 'high', flagged: 0, falseNegatives: 1, precision: null, recall: 0 },
  ]);
  const nine = result?.sessions.find(({ sessionId }) => sessionId === 's-9');
  expect(nine).toMatchObject({ label: 'loop', events: 9, complete: true });
  expect(nine?.hits.map((hits) => hits.map(({ detector, eventIndex }) => [detector, eventIndex]))).toEqual([
    [['tool-repeat', 2]],
    [['tool-repeat', 5]],
    [],
  ]);
});

it.each([
  [{ ids: ['s-3', 'nowhere'] }, ['s-3']],
  [{ incidentIds: ['i-s-5'] }, ['s-5']],
  [{ labelled: true }, ['s-5', 's-9']],
  [{ ids: ['s-3'], labelled: true }, ['s-3', 's-5', 's-9']],
  [{ from: 0, limit: 1 }, ['s-9']],
])('backtest: %j selects the sessions %j', async (sessions, expected) => {
  const { body } = await start({ variants: [{ name: 'now' }], sessions });
  const { result } = await finished(body.id);
  expect(result?.sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(expected);
});

it('backtest: rejects an invalid variant and an unknown job', async () => {
  const { status, body } = await start({ variants: [at('bad', -1)], sessions: { labelled: true } });
  expect(status).toBe(400);
  expect(body).toMatchObject({ errors: [{ path: 'variants.0.set' }] });
  expect((await fetch(`${url}/api/v1/backtests/none`)).status).toBe(404);
});

it('backtest: notifies progress a few times a second, and the end at once', async () => {
  let now = START;
  const told: string[] = [];
  const jobs = new BacktestJobs(
    () => now,
    silent,
    ({ status, progress }) => told.push(`${status} ${String(progress.done)}`),
  );
  const result = { variants: [], sessions: [], missing: [] };
  const { id } = jobs.add({
    total: 100,
    variants: [],
    by: 'operator',
    run: async (_signal, onProgress) => {
      for (let done = 1; done <= 100; done += 1) {
        now += 10;
        onProgress({ done, events: done });
        if (done === 99) expect(jobs.list()[0]?.progress.done).toBe(99);
      }
      return Promise.resolve(result);
    },
  });
  await waitFor(() => jobs.get(id).status === 'done');
  expect(told).toEqual(['running 0', 'running 25', 'running 50', 'running 75', 'running 100', 'done 100']);
});

it('backtest: stops when cancelled', async () => {
  const { body } = await start({ variants: [{ name: 'now' }], sessions: { from: 0 } });
  const cancelled = await fetch(`${url}/api/v1/backtests/${body.id}`, { method: 'DELETE' });
  expect(cancelled.status).toBe(200);
  expect(['cancelled', 'done']).toContain((await finished(body.id)).status);
});

it('exports: triaged sessions as an eval set', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'loopwatch-export-'));
  const [events, labels] = [join(dir, 'events.jsonl'), join(dir, 'labels.jsonl')];
  for (const file of [events, labels]) {
    const response = await fetch(`${url}/api/v1/exports/${file.slice(dir.length + 1)}`);
    expect(response.headers.get('content-disposition')).toContain('attachment');
    await writeFile(file, await response.text());
  }
  const lines = (await readFile(labels, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toHaveLength(2);
  expect(lines).toEqual(
    expect.arrayContaining([
      { sessionId: 's-5', verdict: 'not_loop' },
      { sessionId: 's-9', verdict: 'loop' },
    ]),
  );
  expect((await readFile(events, 'utf8')).trim().split('\n')).toHaveLength(14);
  await rm(dir, { recursive: true });
});
