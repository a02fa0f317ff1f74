import { setTimeout as delay } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { createKafkaSink, ensureTopics, topicSpecs } from '@loopwatch/log';
import { freePort, spawnCli, startKafka, uniqueName } from '@loopwatch/testkit';
import { type Figures, median, progress, rounded } from './measure.ts';
import { words } from './traffic.ts';

const MINUTES = 10;
const SAMPLE_MS = 10_000;
const PARTITIONS = 4;
const BATCH = 4_000;
/** Concurrent live sessions; each has this many events and then ends. */
const LIVE = 2_000;
const EVENTS_A_SESSION = 500;
/** The disk must have room for ten minutes. */
const retention = { 'retention.bytes': '268435456', 'segment.bytes': '67108864' };
const MIB = 1024 * 1024;

interface Sample {
  readonly rss: number;
  readonly heap: number;
  readonly sessions: number;
  readonly processed: number;
  readonly lag: number;
}

/**
 * Runs a worker process for ten minutes, at the maximum rate of a producer on the same machine; sessions begin and end.
 * Compares its resident memory in the last two minutes with that of minutes two to four.
 */
export async function soak(): Promise<Figures[]> {
  await using kafka = await startKafka();
  const { brokers } = kafka;
  const prefix = `${uniqueName('soak')}.`;
  const topics = topicNames({ prefix });
  const specs = topicSpecs(topics, { partitions: PARTITIONS }).map((spec) =>
    spec.name === topics.events ? { ...spec, config: { ...spec.config, ...retention } } : spec,
  );
  await ensureTopics({ brokers, clientId: 'bench' }, specs);
  const port = await freePort();
  await using worker = spawnCli(['worker', '--brokers', brokers.join(','), '--port', String(port)], {
    LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
    LOOPWATCH_KAFKA_GROUP: prefix,
    LOOPWATCH_SESSION_IDLE_SECONDS: '20',
  });
  await worker.line(/Watching /);
  const stopping = new AbortController();
  const producing = produce(brokers, topics.events, stopping.signal);
  const samples: Sample[] = [];
  for (let sample = 0; sample < (MINUTES * 60_000) / SAMPLE_MS; sample += 1) {
    await delay(SAMPLE_MS);
    samples.push(await sampleOf(port));
    const { rss, heap, sessions, processed, lag } = samples.at(-1) as Sample;
    progress(
      `soak ${String((sample + 1) * 10)} s: rss ${(rss / MIB).toFixed(0)} MiB, heap ${(heap / MIB).toFixed(0)} MiB, ${String(sessions)} sessions, ${String(processed)} events, lag ${String(lag)}`,
    );
  }
  stopping.abort();
  await producing;
  const minutes = (from: number, to: number) => samples.slice(from * 6, to * 6);
  const rss = (part: readonly Sample[]) => median(part.map((sample) => sample.rss));
  const early = rss(minutes(2, 4));
  const late = rss(minutes(MINUTES - 2, MINUTES));
  const processed = samples.at(-1)?.processed ?? 0;
  return [
    {
      bench: 'soak',
      minutes: MINUTES,
      events: processed,
      eventsPerSecond: Math.round(processed / (MINUTES * 60)),
      earlyRssMiB: Math.round(early / MIB),
      lateRssMiB: Math.round(late / MIB),
      mostRssMiB: Math.round(Math.max(...samples.map((sample) => sample.rss)) / MIB),
      lateHeapMiB: Math.round(median(minutes(MINUTES - 2, MINUTES).map(({ heap }) => heap)) / MIB),
      ratio: rounded(late / early),
      required: '<= 1.1',
    },
  ];
}

async function produce(brokers: readonly string[], topic: string, signal: AbortSignal): Promise<void> {
  const sink = createKafkaSink({ brokers, clientId: 'soak' });
  await sink.open();
  for (let i = 0; !signal.aborted; ) {
    const now = Date.now();
    const records = Array.from({ length: BATCH }, () => {
      const session = `s-${String(Math.floor(i / (LIVE * EVENTS_A_SESSION)))}-${String(i % LIVE)}`;
      const value = `{"v":1,"id":"e-${String(i)}","sessionId":"${session}","time":${String(now)},${body(i)}}`;
      i += 1;
      return { topic, key: session, value };
    });
    await sink.publish(records);
  }
  await sink.close();
}

function body(i: number): string {
  const turn = Math.floor(i / LIVE);
  if (turn % 10 !== 9) return `"type":"content","text":"${words(i)}"`;
  return `"type":"tool_call_request","name":"read_file","args":{"path":"file-${String(i % 977)}"}`;
}

async function sampleOf(port: number): Promise<Sample> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    rss: sum('process_resident_memory_bytes'),
    heap: sum('nodejs_heap_size_used_bytes'),
    sessions: sum('loopwatch_active_sessions'),
    processed: sum('loopwatch_events_total'),
    lag: sum('loopwatch_consumer_lag'),
  };
}
