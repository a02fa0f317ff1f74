import { setTimeout as delay } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { freePort, spawnCli, startKafka, tempDir } from '@loopwatch/testkit';
import { quantile } from '../bench/measure.ts';
import { Random } from '../chaos/random.ts';
import { type Accounts, sample, settleAccounts } from './accounts.ts';
import { HealthProbe } from './health.ts';
import { type PostedLines, postLines } from './http-traffic.ts';
import { writeToKafka } from './kafka-traffic.ts';
import { Pace } from './pace.ts';

export interface SoakOptions {
  readonly minutes: number;
  /** Records over Kafka, and lines over HTTP. */
  readonly records: number;
  readonly lines: number;
  readonly seed: number;
  readonly log: (text: string) => void;
}

export interface SoakReport {
  readonly http: PostedLines;
  readonly kafka: { readonly written: number };
  readonly accounts: Accounts;
  /** Records not yet processed. */
  readonly lag: number;
  /** Milliseconds. */
  readonly healthP99: { readonly worker: number; readonly server: number };
  readonly workerPeakMiB: number;
  /** Reasons for failure; empty on success. */
  readonly failures: readonly string[];
}

const prefix = 'soak.';
const PARTITIONS = 6;
const CATCH_UP_MS = 600_000;
const LOOK_MS = 5_000;
const SETTLED_LOOKS = 3;
const MAX_HEALTH_MS = 200;
const MIB = 1024 * 1024;

/** Sends hostile and valid traffic over Kafka and HTTP to a dedicated worker and server. */
export async function runSoak({ minutes, records, lines, seed, log }: SoakOptions): Promise<SoakReport> {
  log('starting Kafka');
  await using kafka = await startKafka();
  await using folder = await tempDir('loopwatch-soak');
  const { brokers } = kafka;
  const topics = topicNames({ prefix });
  await ensureTopics({ brokers, clientId: 'soak' }, topicSpecs(topics, { partitions: PARTITIONS }));
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
    LOOPWATCH_KAFKA_GROUP: prefix,
    LOOPWATCH_SERVER_PORT: String(await freePort()),
    LOOPWATCH_WORKER_PORT: String(await freePort()),
    LOOPWATCH_STORAGE_DATA_DIR: folder.path,
  };
  log('starting a worker and a server');
  await using worker = spawnCli(['worker'], env);
  await using server = spawnCli(['server'], env);
  await worker.line(/Watching /);
  await server.line(/Loopwatch .* is at /);
  const workerUrl = `http://127.0.0.1:${env.LOOPWATCH_WORKER_PORT}`;
  const serverUrl = `http://127.0.0.1:${env.LOOPWATCH_SERVER_PORT}`;

  const random = new Random(seed);
  const pace = new Pace(minutes * 60_000);
  const probes = {
    worker: new HealthProbe(`${workerUrl}/healthz`),
    server: new HealthProbe(`${serverUrl}/healthz`),
  };
  log(
    `${String(records)} records over Kafka and ${String(lines)} lines over HTTP in ${String(minutes)} minutes`,
  );
  const [written, http] = await Promise.all([
    writeToKafka(brokers, topics.events, records, random.fork(), pace),
    postLines(`${serverUrl}/api/v1/events`, lines, random.fork(), pace),
  ]);
  log('everything is sent; the worker is catching up');
  const metrics = async () => (await fetch(`${workerUrl}/metrics`)).text();
  const accountsNow = async () => settleAccounts(brokers, topics, await metrics());
  let accounts = await accountsNow();
  const deadline = performance.now() + CATCH_UP_MS;
  // Counters lag a moment behind commits; once they stop changing, they are final.
  for (let same = 0; same < SETTLED_LOOKS && accounts.unaccounted !== 0 && performance.now() < deadline; ) {
    await delay(LOOK_MS);
    const before = accounts.unaccounted;
    accounts = await accountsNow();
    const behind = sample(await metrics(), 'loopwatch_consumer_lag');
    log(`a lag of ${String(behind)}, ${String(accounts.unaccounted)} records not accounted for`);
    same = behind === 0 && accounts.unaccounted === before ? same + 1 : 0;
  }
  for (const probe of Object.values(probes)) await probe[Symbol.asyncDispose]();
  const last = await metrics();
  const lag = sample(last, 'loopwatch_consumer_lag');
  const shown = last.split('\n').filter((line) => line.startsWith('loopwatch_consumer_lag{')).length;
  const healthP99 = {
    worker: quantile(probes.worker.times, 0.99),
    server: quantile(probes.server.times, 0.99),
  };
  const letters = accounts.letters;
  const failures = [
    ...http.unresolved.slice(0, 10),
    ...(lag > 0 ? [`${String(lag)} records were not reached`] : []),
    ...(shown < PARTITIONS ? [`the lag of ${String(PARTITIONS - shown)} partitions is missing`] : []),
    ...(accounts.unaccounted === 0 ? [] : [`${String(accounts.unaccounted)} records are not accounted for`]),
    ...(accounts.faults > 0 ? [`detection failed at ${String(accounts.faults)} events`] : []),
    ...(letters.counted === letters.written
      ? []
      : [`${String(letters.counted)} dead letters were counted, ${String(letters.written)} written`]),
    ...Object.entries(healthP99).flatMap(([name, ms]) =>
      ms < MAX_HEALTH_MS ? [] : [`/healthz of the ${name}: p99 ${ms.toFixed(0)} ms`],
    ),
  ];
  const workerPeakMiB = Math.round(sample(last, 'process_resident_memory_bytes') / MIB);
  return { http, kafka: { written }, accounts, lag, healthP99, workerPeakMiB, failures };
}
