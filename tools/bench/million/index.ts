import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { detectionSchema, topicNames } from '@loopwatch/contract';
import { openEmbeddedLog } from '@loopwatch/log';
import { createServer } from '@loopwatch/server';
import { openDatabase } from '@loopwatch/storage';
import { startPostgres, tempDir } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Figures, median, progress, rounded } from '../measure.ts';
import { fillDatabase } from './fill.ts';
import { pageQueries } from './pages.ts';

const SESSIONS = Number(process.env['BENCH_STORED_SESSIONS'] ?? 1_000_000);
const ROUNDS = 3;
const ANSWER_MS = 500;
const logger = pino({ level: 'silent' });

/** Every query of the pages with a million stored sessions, on both databases. It writes 5 GB, and takes half an hour. */
export async function million(): Promise<Figures[]> {
  const figures = await over('embedded', undefined);
  const postgres = await startPostgres();
  try {
    return [...figures, ...(await over('PostgreSQL', await postgres.createDatabase()))];
  } finally {
    await postgres.stop();
  }
}

async function over(storage: string, url: string | undefined): Promise<Figures[]> {
  const dir = await tempDir();
  try {
    progress(`million, ${storage}: storing ${String(SESSIONS)} sessions`);
    const settings = { data_dir: dir.path, database_url: url };
    const database = await openDatabase(settings, logger);
    await fillDatabase(database, SESSIONS, Date.now());
    await database.close();
    const folder = join(dir.path, 'log');
    await mkdir(folder, { recursive: true });
    const topics = topicNames({ prefix: 'bench.' });
    const log = await openEmbeddedLog({ dir: folder, topics: Object.values(topics) });
    const start = performance.now();
    const server = createServer({
      host: '127.0.0.1',
      port: 0,
      log: {
        kind: 'embedded',
        reader: (topic) => log.reader(topic),
        records: () => log.records(),
        sink: () => log.sink(),
      },
      openDatabase: () => openDatabase(settings, logger),
      topics,
      registry: new Registry(),
      logger,
      info: { version: 'bench', preset: 'balanced', configHash: 'bench' },
      retention: { days: null, megabytes: null },
      configured: { settings: detectionSchema.parse({}), origins: {}, hasModel: true },
      readiness: () => Promise.resolve({}),
      dashboardDir: join(import.meta.dirname, '../../../packages/dashboard/dist'),
    });
    const { url: address } = await server.start();
    const startMs = performance.now() - start;
    try {
      const timed = await timePages(address);
      for (const { name, ms } of timed) progress(`  ${ms.toFixed(0)} ms: ${name}`);
      const [slowest] = timed;
      if (slowest === undefined) throw new Error('There are queries');
      return [
        {
          bench: 'million',
          storage,
          sessions: SESSIONS,
          startMs: rounded(startMs),
          queries: timed.length,
          slow: timed.filter(({ ms }) => ms > ANSWER_MS).length,
          slowest: slowest.name,
          slowestMs: rounded(slowest.ms),
          ratio: rounded(slowest.ms / ANSWER_MS),
          required: '<= 1',
        },
      ];
    } finally {
      await server.stop();
      await log.close();
    }
  } finally {
    await dir.remove();
  }
}

/** The slowest first. */
async function timePages(url: string): Promise<{ readonly name: string; readonly ms: number }[]> {
  const timed: { name: string; ms: number }[] = [];
  for (const [name, path] of pageQueries(Date.now())) {
    const times: number[] = [];
    // An overview is shared by requests within seconds: only the first one reads it.
    for (let round = 0; round < (path.startsWith('/overview') ? 1 : ROUNDS); round += 1) {
      const start = performance.now();
      const response = await fetch(`${url}/api/v1${path}`);
      const text = await response.text();
      // A breakdown that would read too many sessions is refused.
      if (response.status >= 500) throw new Error(`${path}: ${String(response.status)} ${text}`);
      times.push(performance.now() - start);
    }
    timed.push({ name, ms: median(times) });
  }
  return timed.sort((a, b) => b.ms - a.ms);
}
