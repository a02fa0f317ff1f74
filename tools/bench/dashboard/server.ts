import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { detectionSchema, topicNames } from '@loopwatch/contract';
import {
  createKafkaRecordReader,
  createKafkaSink,
  createKafkaTopicReader,
  ensureTopics,
  type OutputRecord,
  openEmbeddedLog,
  topicSpecs,
} from '@loopwatch/log';
import { createServer, type ServerLog } from '@loopwatch/server';
import { openDatabase } from '@loopwatch/storage';
import { tempDir, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { FlowResult, ServerOptions, Task, TaskResult } from './messages.ts';
import { fleetSummary, fleetVerdict } from './traffic.ts';

/**
 * The server of the dashboard bench, a separate process so that its CPU time can be measured: real log, real
 * database, built dashboard. Its parent controls it with messages, and it ends with its parent.
 */

const { brokers, databaseUrl } = JSON.parse(process.argv[2] ?? '{}') as ServerOptions;
const root = join(import.meta.dirname, '../../..');
const topics = topicNames({ prefix: 'bench.' });
const logger = pino({ level: process.env['BENCH_LOG'] ?? 'silent' });
const dir = await tempDir();
const stored = new Map<string, number>();

const { log, close } = brokers === undefined ? await embedded() : await kafka(brokers);
const server = createServer({
  host: '127.0.0.1',
  port: 0,
  log: counted(log),
  openDatabase: () => openDatabase({ data_dir: dir.path, database_url: databaseUrl }, logger),
  topics,
  registry: new Registry(),
  logger,
  info: { version: 'bench', preset: 'balanced', configHash: 'bench' },
  retention: { days: null, megabytes: null },
  configured: { settings: detectionSchema.parse({}), origins: {}, hasModel: true },
  readiness: () => Promise.resolve({}),
  dashboardDir: join(root, 'packages/dashboard/dist'),
});
const { url } = await server.start();
const sink = log.sink();
await sink.open();

process.on('message', ({ id, task }: { id: number; task: Task }) => {
  void (task.kind === 'fill' ? fill(task.verdicts) : flow(task.perSecond, task.seconds)).then((answer) =>
    process.send?.({ id, answer }),
  );
});
process.once('disconnect', () => {
  void server
    .stop()
    .then(() => sink.close())
    .then(close)
    .then(() => dir.remove())
    .then(() => process.exit(0));
});
process.send?.({ url });

async function embedded() {
  const folder = join(dir.path, 'log');
  await mkdir(folder);
  const file = await openEmbeddedLog({ dir: folder, topics: Object.values(topics) });
  const own: ServerLog = {
    kind: 'embedded',
    reader: (topic) => file.reader(topic),
    records: () => file.records(),
    sink: () => file.sink(),
  };
  return { log: own, close: () => file.close() };
}

async function kafka(addresses: readonly string[]) {
  const options = { brokers: addresses, clientId: 'bench' };
  await ensureTopics(options, topicSpecs(topics, { partitions: 4 }));
  const own: ServerLog = {
    kind: 'kafka',
    reader: (topic) => createKafkaTopicReader({ ...options, topic }),
    records: () => createKafkaRecordReader(options),
    sink: () => createKafkaSink(options),
  };
  return { log: own, close: () => Promise.resolve() };
}

/** Wraps the log and counts the processed records of a topic. */
function counted(inner: ServerLog): ServerLog {
  return {
    ...inner,
    reader: (topic) => {
      const reader = inner.reader(topic);
      return {
        run: (handler, options) =>
          reader.run(async (batch) => {
            await handler(batch);
            stored.set(topic, (stored.get(topic) ?? 0) + batch.records.length);
          }, options),
        stop: () => reader.stop(),
      };
    },
  };
}

/** Verdicts as fast as they are stored, and a summary of each session. */
async function fill(verdicts: number): Promise<TaskResult> {
  const measured = measure();
  const past = Date.now() - 6 * 3_600_000;
  const step = (6 * 3_600_000) / verdicts;
  const first = stored.get(topics.verdicts) ?? 0;
  for (let n = 0; n < verdicts; n += 2_000) {
    await publishVerdicts(
      n,
      Math.min(verdicts, n + 2_000),
      (index) => Math.round(past + index * step),
      'old',
    );
    await waitFor(() => (stored.get(topics.verdicts) ?? 0) - first >= n - 2_000);
  }
  await waitFor(() => (stored.get(topics.verdicts) ?? 0) - first >= verdicts);
  return measured(verdicts);
}

/** This many verdicts per second, by the clock. */
async function flow(perSecond: number, seconds: number): Promise<FlowResult> {
  const measured = measure();
  const first = stored.get(topics.verdicts) ?? 0;
  const start = performance.now();
  let sent = 0;
  let maxBacklog = 0;
  while (sent < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - start) / 1_000) * perSecond));
    if (due > sent) await publishVerdicts(sent, due, () => Date.now(), 'new');
    sent = due;
    maxBacklog = Math.max(maxBacklog, sent - ((stored.get(topics.verdicts) ?? 0) - first));
    await delay(20);
  }
  const sentMs = performance.now() - start;
  await waitFor(() => (stored.get(topics.verdicts) ?? 0) - first >= sent, { timeoutMs: 120_000 });
  return { ...measured(sent), maxBacklog, sentMs, drainMs: performance.now() - start - sentMs };
}

async function publishVerdicts(
  from: number,
  to: number,
  time: (n: number) => number,
  run: string,
): Promise<void> {
  const records: OutputRecord[] = [];
  for (let n = from; n < to; n += 1) {
    const verdict = fleetVerdict(n, time(n), run);
    const key = verdict.sessionId;
    records.push({ topic: topics.verdicts, key, value: JSON.stringify(verdict) });
    if (verdict.phase === 'opened') {
      records.push({ topic: topics.sessions, key, value: JSON.stringify(fleetSummary(verdict)) });
    }
  }
  await sink.publish(records);
}

/** Rate, processor time and the event loop from here on. */
function measure(): (verdicts: number) => TaskResult {
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const start = performance.now();
  const cpu = process.cpuUsage();
  return (verdicts) => {
    const { user, system } = process.cpuUsage(cpu);
    loop.disable();
    return {
      verdicts,
      ms: performance.now() - start,
      cpuMs: (user + system) / 1_000,
      loopP99Ms: loop.percentile(99) / 1e6,
      loopMaxMs: loop.max / 1e6,
    };
  };
}
