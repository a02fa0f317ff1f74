import { setTimeout } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { createKafkaSink, ensureTopics, type OutputRecord, topicSpecs } from '@loopwatch/log';
import {
  type CliProcess,
  freePort,
  type ModelServer,
  spawnCli,
  startKafka,
  startModelServer,
  uniqueName,
  waitFor,
} from '@loopwatch/testkit';
import { type Bench, median, progress, rounded } from './measure.ts';

const EVENTS = 3_000_000;
const SESSIONS = 1000;
/** Each of these sessions continues one prompt until its first check: by event 291,000 in all of them. */
const CHECKED_EVERY = 10;
const WARM_UP = 400_000;
const PARTITIONS = 4;
const SLICE_MS = 500;
/** Slices of each worker per round: events count when they are durable, one batch at a time. */
const SLICES = 4;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 20;
const MODEL_SECONDS = 30;
/** The worker's default of `semantic.max_concurrent`. */
const CONCURRENT = 4;
const clientId = 'bench';

/**
 * Worker processes on the same topic: one without a model, one whose model answers at once, one whose model takes 30 s.
 * They run in turn for half a second each while the others are stopped, so that other load on the machine affects all
 * equally. Nine sessions in ten never raise a check; the others raise more than a model can answer.
 */
export const semantic: Bench = async () => {
  await using kafka = await startKafka();
  await using quick = await startModelServer(() => ({ text: answer }));
  await using slow = await startModelServer(() => ({
    text: answer,
    after: setTimeout(MODEL_SECONDS * 1000, undefined, { ref: false }),
  }));
  const { brokers } = kafka;
  const events = `${uniqueName('bench')}.events`;
  const ensure = async (prefix: string): Promise<void> => {
    const topics = topicNames({ prefix, events });
    await ensureTopics({ brokers, clientId }, topicSpecs(topics, { partitions: PARTITIONS }));
  };
  /** A worker that shares only the events with the others. */
  const start = async (model?: ModelServer): Promise<PausedWorker> => {
    const prefix = `${uniqueName('bench')}.`;
    await ensure(prefix);
    return PausedWorker.start({
      KAFKA_BROKERS: brokers.join(','),
      LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
      LOOPWATCH_KAFKA_TOPICS_EVENTS: events,
      LOOPWATCH_KAFKA_GROUP: prefix,
      LOOPWATCH_LLM_MODEL: 'judge',
      ...(model !== undefined && { LOOPWATCH_LLM_BASE_URL: model.url }),
    });
  };
  progress(`writing ${String(EVENTS)} events`);
  await ensure(`${uniqueName('bench')}.`);
  await fill(brokers, events);
  await using withNone = await start();
  await using withQuick = await start(quick);
  await using withSlow = await start(slow);
  if (slow.requests.length < CONCURRENT) throw new Error('the model was not asked before the figures begin');
  const rounds: Round[] = [];
  while (rounds.length < MAX_ROUNDS) {
    const workers = { none: withNone, quick: withQuick, slow: withSlow };
    const round: Round = { none: new Sum(), quick: new Sum(), slow: new Sum() };
    for (let slice = 0; slice < SLICES; slice += 1)
      for (const side of ['none', 'quick', 'slow'] as const) round[side].add(await workers[side].slice());
    if (Object.values(workers).some(({ processed }) => processed >= EVENTS)) break;
    rounds.push(round);
    const { none, quick: answered, slow: asking } = round;
    const rates = [none, answered, asking].map(({ perSecond }) => perSecond.toFixed(0));
    progress(`round ${String(rounds.length)}: none, quick, slow ${rates.join(', ')}/s`);
  }
  if (rounds.length < MIN_ROUNDS) throw new Error(`only ${String(rounds.length)} rounds: too few events`);
  const rate = (of: keyof Round) => Math.round(median(rounds.map((round) => round[of].perSecond)));
  const ratio = (to: keyof Round, by: 'perSecond' | 'perCpuSecond') =>
    rounded(median(rounds.map((round) => round.slow[by] / round[to][by])));
  const shared = {
    rounds: rounds.length,
    sessions: SESSIONS,
    sessionsWithChecks: SESSIONS / CHECKED_EVERY,
    modelSeconds: MODEL_SECONDS,
    asked: slow.requests.length,
    slowEventsPerSecond: rate('slow'),
  };
  return [
    {
      bench: 'semantic-rate, slow model against one that answers at once',
      ...shared,
      quickEventsPerSecond: rate('quick'),
      ratio: ratio('quick', 'perSecond'),
      ratioByCpuTime: ratio('quick', 'perCpuSecond'),
      required: '>= 0.95',
    },
    {
      bench: 'semantic-rate, slow model against none',
      ...shared,
      noneEventsPerSecond: rate('none'),
      ratio: ratio('none', 'perSecond'),
      ratioByCpuTime: ratio('none', 'perCpuSecond'),
      required: '>= 0.95',
    },
  ];
};

/** A worker's progress in a slice. */
interface Slice {
  readonly events: number;
  readonly seconds: number;
  /** CPU time in seconds. */
  readonly cpuSeconds: number;
}

/** A worker's progress in the slices of a round. */
class Sum {
  #events = 0;
  #seconds = 0;
  #cpuSeconds = 0;

  add({ events, seconds, cpuSeconds }: Slice): void {
    this.#events += events;
    this.#seconds += seconds;
    this.#cpuSeconds += cpuSeconds;
  }

  get perSecond(): number {
    return this.#events / this.#seconds;
  }

  /** The cost of the layer, independent of other load on the machine. */
  get perCpuSecond(): number {
    return this.#events / this.#cpuSeconds;
  }
}

type Round = Readonly<Record<'none' | 'quick' | 'slow', Sum>>;

const answer = JSON.stringify({ analysis: 'It gets on.', confidence: 0.1 });

/** A worker process that runs only while it is measured. */
class PausedWorker implements AsyncDisposable {
  /** Events so far, by its own metrics. */
  processed = 0;
  readonly #worker: CliProcess;
  readonly #port: number;

  private constructor(worker: CliProcess, port: number) {
    this.#worker = worker;
    this.#port = port;
  }

  /** Starts it and stops it again once it is warm. */
  static async start(env: Readonly<Record<string, string>>): Promise<PausedWorker> {
    const port = await freePort();
    const own = { LOOPWATCH_WORKER_PORT: String(port) };
    const paused = new PausedWorker(spawnCli(['worker'], { ...env, ...own }, { from: 'source' }), port);
    await paused.#worker.line(/Watching /);
    await waitFor(async () => (await paused.#look()).events >= WARM_UP, {
      timeoutMs: 300_000,
      describe: () => `a worker to process ${String(WARM_UP)} events, it did ${String(paused.processed)}`,
    });
    paused.#signal('SIGSTOP');
    return paused;
  }

  /** Lets it run for a slice. */
  async slice(): Promise<Slice> {
    this.#signal('SIGCONT');
    const from = await this.#look();
    const began = performance.now();
    await setTimeout(SLICE_MS);
    const to = await this.#look();
    const seconds = (performance.now() - began) / 1000;
    this.#signal('SIGSTOP');
    return { events: to.events - from.events, seconds, cpuSeconds: to.cpuSeconds - from.cpuSeconds };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal('SIGCONT');
    await this.#worker.stop();
  }

  async #look(): Promise<{ events: number; cpuSeconds: number }> {
    const url = `http://127.0.0.1:${String(this.#port)}/metrics`;
    // A new connection each time: a reused one may be closed by now.
    const page = await (await fetch(url, { headers: { connection: 'close' } })).text();
    const sum = (sample: RegExp) =>
      Array.from(page.matchAll(sample), ([, value]) => Number(value)).reduce((a, b) => a + b, 0);
    this.processed = sum(/^loopwatch_events_total\{.*\} (.+)$/gm);
    return { events: this.processed, cpuSeconds: sum(/^process_cpu_seconds_total (.+)$/gm) };
  }

  #signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#worker.pid, name);
  }
}

/** Events of a turn: it begins, says something, calls a tool and gets an answer. */
const TURN = 10;

/** Turns per prompt of a session: 1 to 24 for sessions without checks, unlimited for the others. */
function promptTurns(session: number): number {
  return session % CHECKED_EVERY === 0 ? Infinity : 1 + (session % 24);
}

function eventText(i: number): string {
  const session = i % SESSIONS;
  const n = Math.floor(i / SESSIONS);
  const turn = Math.floor(n / TURN);
  const head = `{"v":1,"id":"e-${String(i)}","sessionId":"session-${String(session)}","time":${String(1_763_757_600_000 + i)}`;
  switch (n % TURN) {
    case 0:
      return turn % promptTurns(session) === 0
        ? `${head},"type":"prompt_started","text":"find the fault"}`
        : `${head},"type":"thought","text":"${words(i)}"}`;
    case 1:
      return `${head},"type":"turn_started"}`;
    case TURN - 2:
      return `${head},"type":"tool_call_request","callId":"c-${String(turn)}","name":"read_file","args":{"path":"file-${String(i)}"}}`;
    case TURN - 1:
      return `${head},"type":"tool_result","callId":"c-${String(turn)}","result":"${words(i)} ${String(i)}"}`;
    default:
      return `${head},"type":"content","text":"${words(i)}"}`;
  }
}

const vocabulary =
  'the worker reads each record once and keeps what it needs to know about a session for later'.split(' ');

function words(i: number): string {
  return [i % 17, i % 13, i % 11, i % 7].map((n) => vocabulary[n]).join(' ');
}

async function fill(brokers: readonly string[], topic: string): Promise<void> {
  const sink = createKafkaSink({ brokers, clientId });
  await sink.open();
  for (let i = 0; i < EVENTS; ) {
    const records: OutputRecord[] = [];
    for (; records.length < 5000 && i < EVENTS; i += 1)
      records.push({ topic, key: `session-${String(i % SESSIONS)}`, value: eventText(i) });
    await sink.publish(records);
  }
  await sink.close();
}
