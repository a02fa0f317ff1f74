import { rm } from 'node:fs/promises';
import { type AgentEvent, type DetectionInput, detectionSchema, topicNames } from '@loopwatch/contract';
import type { SessionPage, Status } from '@loopwatch/contract/api';
import { openEmbeddedLog } from '@loopwatch/log';
import { createServer } from '@loopwatch/server';
import { openDatabase } from '@loopwatch/storage';
import { tempDir, waitFor } from '@loopwatch/testkit';
import { Worker } from '@loopwatch/worker';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { pgliteFolder } from '../../../storage/test/pglite-folder.ts';

const topics = topicNames({ prefix: 'loopwatch.' });
const logger = pino({ level: 'silent' });

/** Log, worker and server in this process, as `loopwatch start` connects them, with a clock that the test sets. */
export async function startClocked(detection: DetectionInput, startAt: number) {
  const clock = { now: startAt };
  const now = () => clock.now;
  const dir = await tempDir();
  const data = await pgliteFolder();
  const log = await openEmbeddedLog({ dir: dir.path, topics: Object.values(topics), now });
  const registry = new Registry();
  const settings = detectionSchema.parse(detection);
  const runner = log.tasks([topics.events], 'test');
  const worker = new Worker({
    runner,
    control: log.reader(topics.control),
    topics,
    detection: settings,
    system: 'loopwatch_embedded',
    registry,
    logger,
    now,
    monotonic: now,
    summaryIntervalMs: 5,
  });
  const server = createServer({
    host: '127.0.0.1',
    port: 0,
    openDatabase: () => openDatabase({ data_dir: data, database_url: undefined }, logger),
    topics,
    registry,
    logger,
    info: { version: '0.1.0', preset: 'balanced', configHash: '4f1c9a2' },
    retention: { days: null, megabytes: null },
    configured: { settings, origins: {}, hasModel: false },
    readiness: () => Promise.resolve({ log: { ok: true } }),
    dashboardDir: import.meta.dirname,
    log: {
      kind: 'embedded',
      reader: (topic) => log.reader(topic),
      records: () => log.records(),
      sink: () => log.sink(),
    },
    lastEventAt: () => worker.lastEventAt,
    analyzedTo: () => worker.readTo,
    now,
  });
  await worker.start();
  const { url } = await server.start();
  onTestFinished(async () => {
    await server.stop();
    await worker.stop();
    await log.close();
    await dir.remove();
    await rm(data, { recursive: true, force: true });
  });
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.headers.get('content-type')?.includes('json') ? answer.json() : answer.text();
  };
  const post = async (events: readonly AgentEvent[]): Promise<void> => {
    const body = events.map((event) => JSON.stringify(event)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
    if (answer.status !== 202) throw new Error(await answer.text());
  };
  /** Resolves when the worker has committed everything that was posted. */
  const analyzed = () =>
    waitFor(async () => (await runner.positions()).every(({ position, end }) => position === end));
  /** Resolves when the server has stored all that follows from it, provided that no event was a duplicate. */
  const stored = async (): Promise<void> => {
    await analyzed();
    await waitFor(async () => {
      const { items } = (await get('/api/v1/sessions?limit=200')) as SessionPage;
      const { log: read } = (await get('/api/v1/status')) as Status;
      const verdicts = read.topics.find(({ role }) => role === 'verdicts')?.partitions[0]?.nextOffset;
      const told = items.reduce((sum, { events }) => sum + events, 0);
      return told === log.endOffset(topics.events) && (verdicts ?? 0) === log.endOffset(topics.verdicts);
    });
  };
  return { clock, get, post, analyzed, stored };
}
