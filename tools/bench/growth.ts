import { type AgentEvent, detectionSchema } from '@loopwatch/contract';
import { detectionOf, SessionAnalyzer } from '@loopwatch/detectors/internal';
import { type InputRecord, LoopPipeline, silentObserver } from '@loopwatch/worker/stream';
import { type Figures, median, progress, rounded, time } from './measure.ts';
import { Twin } from './synthetic/index.ts';
import { profiles } from './synthetic/profiles.ts';

const SHORT = 1_000;
const SLICE = 20_000;
/** Lengths of a session, in events, at which its time per event is reported. */
const LENGTHS = [60_000, 100_000, 200_000, 500_000, 1_000_000];
const SESSION_COUNTS = [10_000, 100_000];
/** Needs a heap of 8 GB. */
const MAX_SESSIONS = 1_000_000;
const PASSES = 4;
const PARTITIONS = [1, 4, 16, 64];
const PARTITION_EVENTS = 200_000;
/** One event in this many raises a verdict. */
const VERDICT_EVERY = [100_000, 10_000, 1_000, 100, 10];

const START = 1_760_000_000_000;
const detection = detectionSchema.parse({ preset: 'balanced', session: { max_sessions: 2 * MAX_SESSIONS } });

/**
 * How the time per event grows with the length of a session, with sessions, partitions and verdicts; preset `balanced`.
 * Sessions and partitions run their smallest size once before, so that compiling does not count.
 */
export async function growth(full: boolean): Promise<Figures[]> {
  const length = full ? 1_000_000 : 200_000;
  const figures = ['calls', 'text', 'mix'].flatMap((kind) => lengthOfSession(kind, length));
  return [...figures, ...(await numberOfSessions(full)), ...(await numberOfPartitions()), ...verdictRate()];
}

/** One long session in slices; after each slice the same events in sessions of a thousand. */
function lengthOfSession(kind: string, length: number): Figures[] {
  const long = analyzer('long');
  const spent: { long: number; short: number }[] = [];
  for (let from = 0; from < length; from += SLICE) {
    progress(`growth: ${kind}, event ${String(from)} of ${String(length)}`);
    const events = slice(kind, from);
    const slow = time(() => {
      for (const event of events) long.push(event);
    });
    const fast = time(() => {
      for (let i = 0; i < SLICE; i += SHORT) {
        const short = analyzer('short');
        for (const event of events.slice(i, i + SHORT)) short.push(event);
      }
    });
    spent.push({ long: slow / SLICE, short: fast / SLICE });
  }
  const short = median(spent.slice(1).map((one) => one.short));
  const timeAt = (events: number) => {
    const end = events / SLICE;
    return median(spent.slice(Math.max(0, end - 5), end).map((one) => one.long));
  };
  return [
    {
      bench: `growth, a session of ${kind}: an event after ${String(length)} against one in ${String(SHORT)}`,
      traffic: 'synthetic',
      nsPerEvent: rounded(timeAt(length) * 1e6),
      shortNsPerEvent: rounded(short * 1e6),
      ...Object.fromEntries(
        LENGTHS.filter((events) => events <= length).map((events) => [
          `ratioAt${String(events)}`,
          rounded(timeAt(events) / short),
        ]),
      ),
      ratio: rounded(timeAt(length) / short),
      required: '<= 1.2',
    },
  ];
}

/** Events of the same statistics, whose ids and times continue. */
function slice(kind: string, from: number): AgentEvent[] {
  const profile = profiles.find(({ name }) => name === 'claude-code') ?? profiles[0];
  if (profile === undefined) throw new Error('no profile');
  const events: AgentEvent[] = [];
  const twin = new Twin(profile, from + 1);
  while (events.length < SLICE) {
    const session = twin.session('s', kind === 'mix' ? SLICE : 5_000) as unknown as AgentEvent[];
    events.push(...session.filter(({ type }) => isOf(kind, type)));
  }
  return events.slice(0, SLICE).map((event, i) => ({
    ...event,
    id: `e#${String(from + i)}`,
    time: START + (from + i) * 200,
  }));
}

function isOf(kind: string, type: string): boolean {
  if (type === 'session_ended') return false;
  if (kind === 'calls') return type !== 'content' && type !== 'thought' && type !== 'prompt_started';
  return kind === 'text' ? type === 'content' : true;
}

async function numberOfSessions(full: boolean): Promise<Figures[]> {
  const figures: Figures[] = [];
  let first: number | undefined;
  await passesOver(SESSION_COUNTS[0] as number);
  for (const sessions of full ? [...SESSION_COUNTS, MAX_SESSIONS] : SESSION_COUNTS) {
    progress(`growth: ${String(sessions)} sessions`);
    const { passes, activeSessions } = await passesOver(sessions);
    // The first pass creates the sessions.
    const perEvent = median(passes.slice(1));
    first ??= perEvent;
    figures.push({
      bench: `growth, ${String(sessions)} live sessions`,
      traffic: 'made up: one short call per session in turn',
      usPerEvent: rounded(perEvent * 1000),
      usPerFirstEvent: rounded((passes[0] ?? 0) * 1000),
      activeSessions,
      ratio: rounded(perEvent / first),
      required: sessions === MAX_SESSIONS ? '<= 1.5' : 'nothing',
    });
  }
  return figures;
}

/** @returns the time per event of each pass, ms */
async function passesOver(sessions: number): Promise<{ passes: number[]; activeSessions: number }> {
  const pipeline = new LoopPipeline(detection, silentObserver);
  const partition = pipeline.partition({ topic: 'events', partition: 0 });
  const passes: number[] = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    let spent = 0;
    for (let from = 0; from < sessions; from += SHORT) {
      const records = Array.from({ length: SHORT }, (_, i) => callRecord(from + i, pass, sessions));
      spent += await timeToProcess(partition, records);
    }
    passes.push(spent / sessions);
  }
  return { passes, activeSessions: pipeline.activeSessions };
}

/** @returns the time, ms */
async function timeToProcess(
  partition: ReturnType<LoopPipeline['partition']>,
  records: InputRecord[],
): Promise<number> {
  const start = performance.now();
  await partition.process(records).forEach(() => undefined);
  return performance.now() - start;
}

function callRecord(session: number, pass: number, sessions: number, partition = 0): InputRecord {
  const sessionId = `session-${String(partition)}-${String(session)}`;
  const event = {
    v: 1,
    id: `e-${String(pass)}`,
    sessionId,
    time: START + pass * 1000,
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: `file-${String(pass * sessions + session)}` },
  };
  return { offset: pass * sessions + session, timestamp: null, key: sessionId, text: JSON.stringify(event) };
}

async function numberOfPartitions(): Promise<Figures[]> {
  const figures: Figures[] = [];
  let first: number | undefined;
  await timeOverPartitions(1);
  for (const count of PARTITIONS) {
    progress(`growth: ${String(count)} partitions`);
    const perEvent = await timeOverPartitions(count);
    first ??= perEvent;
    figures.push({
      bench: `growth, ${String(count)} partitions`,
      traffic: 'made up: short calls of 10,000 sessions in all',
      usPerEvent: rounded(perEvent * 1000),
      ratio: rounded(perEvent / first),
      required: 'nothing',
    });
  }
  return figures;
}

/** @returns the time per event, ms */
async function timeOverPartitions(count: number): Promise<number> {
  const pipeline = new LoopPipeline(detection, silentObserver);
  const partitions = Array.from({ length: count }, (_, partition) =>
    pipeline.partition({ topic: 'events', partition }),
  );
  const sessions = Math.ceil(SHORT / count) * 10;
  let spent = 0;
  let events = 0;
  for (let pass = 0; events < PARTITION_EVENTS; pass += 1) {
    for (const [n, partition] of partitions.entries()) {
      const records = Array.from({ length: sessions }, (_, i) => callRecord(i, pass, sessions, n));
      spent += await timeToProcess(partition, records);
      events += sessions;
    }
  }
  return spent / events;
}

/** Sessions of ten equal calls among different ones: opened, escalated, resolved. */
function verdictRate(): Figures[] {
  let first: number | undefined;
  return VERDICT_EVERY.map((every) => {
    progress(`growth: a verdict in ${String(every)} events`);
    const session = analyzer('verdicts');
    let verdicts = 0;
    const events = Math.max(200_000, 2 * every);
    const all = Array.from({ length: events }, (_, i): AgentEvent => {
      // Five calls in a row open and escalate, the next one resolves: three verdicts.
      const isLoop = i % (3 * every) < 5 && every >= 10;
      const path = isLoop ? `same-${String(Math.floor(i / (3 * every)))}` : `file-${String(i)}`;
      const time = START + i * 1000;
      return { id: `e#${String(i)}`, time, type: 'tool_call_request', name: 'read_file', args: { path } };
    });
    const spent = time(() => {
      for (const event of all) verdicts += session.push(event).verdicts.length;
    });
    first ??= spent / events;
    return {
      bench: `growth, a verdict in ${String(Math.round(events / Math.max(1, verdicts)))} events`,
      traffic: 'made up: short calls',
      verdicts,
      usPerEvent: rounded((spent * 1000) / events),
      ratio: rounded(spent / events / first),
      required: 'nothing',
    };
  });
}

function analyzer(sessionId: string): SessionAnalyzer {
  return new SessionAnalyzer(sessionId, detectionOf(detection));
}
