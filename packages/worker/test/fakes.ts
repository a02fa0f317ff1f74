import {
  type CheckRecord,
  checkSchema,
  type DetectionInput,
  detectionSchema,
  topicNames,
  type Verdict,
} from '@loopwatch/contract';
import type {
  BatchHandler,
  EventSource,
  LogRecord,
  OutputRecord,
  RecordBatch,
  SourceObserver,
  VerdictSink,
} from '@loopwatch/log';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type ModelClient, Worker } from '../src/index.ts';

export const topics = topicNames({ prefix: 'test.' });

/** A source that delivers what the test hands it, and notes what is committed. */
export class FakeSource implements EventSource {
  /** Offsets committed, in order; the one after a batch's last record. */
  readonly commits: string[] = [];
  /** Makes the next commit fail. */
  commitFailure: Error | undefined;
  /** Makes `run` fail. */
  runFailure: Error | undefined;
  stopped = false;
  private handler: BatchHandler | undefined;
  private observer: SourceObserver = {};
  private inProgress: Promise<unknown> = Promise.resolve();

  run(handler: BatchHandler, observer: SourceObserver = {}): Promise<void> {
    this.handler = handler;
    this.observer = observer;
    return this.runFailure === undefined ? Promise.resolve() : Promise.reject(this.runFailure);
  }

  async stop(): Promise<void> {
    await this.inProgress;
    this.stopped = true;
  }

  /** Hands a batch to the worker, as a source does. @returns what the worker makes of it */
  deliver(
    records: readonly LogRecord[],
    { partition = 0, lag = 0, topic = topics.events }: Partial<RecordBatch> = {},
  ): Promise<void> {
    if (this.handler === undefined) throw new Error('the source was not started');
    const next = (records.at(-1)?.offset ?? -1) + 1;
    const commit = (): Promise<void> => {
      const failure = this.commitFailure;
      this.commitFailure = undefined;
      if (failure !== undefined) return Promise.reject(failure);
      this.commits.push(`${String(partition)}@${String(next)}`);
      return Promise.resolve();
    };
    const done = this.handler({ topic, partition, records, lag, commit });
    this.inProgress = done.catch(() => undefined);
    return done;
  }

  assign(...partitions: number[]): void {
    this.observer.onAssignment?.(partitions.map((partition) => ({ topic: topics.events, partition })));
  }

  connection(state: 'up' | 'down', reason?: string): void {
    this.observer.onConnection?.(state, reason);
  }
}

/** A sink that keeps what is published, and fails or waits when it is told to. */
export class FakeSink implements VerdictSink {
  readonly published: OutputRecord[] = [];
  /** Number of calls of `publish`, those that failed included. */
  attempts = 0;
  state: 'new' | 'open' | 'closed' = 'new';
  /** Makes `open` fail. */
  openFailure: Error | undefined;
  /** What `publish` waits for; it may reject. */
  gate: Promise<void> = Promise.resolve();

  open(): Promise<void> {
    if (this.openFailure !== undefined) return Promise.reject(this.openFailure);
    this.state = 'open';
    return Promise.resolve();
  }

  async publish(records: readonly OutputRecord[]): Promise<void> {
    this.attempts += 1;
    await this.gate;
    this.published.push(...records);
  }

  close(): Promise<void> {
    this.state = 'closed';
    return Promise.resolve();
  }

  get verdicts(): Verdict[] {
    return this.published
      .filter(({ topic }) => topic === topics.verdicts)
      .map(({ value }) => JSON.parse(String(value)) as Verdict);
  }

  get checks(): CheckRecord[] {
    return this.published
      .filter(({ topic }) => topic === topics.checks)
      .map(({ value }) => checkSchema.parse(JSON.parse(String(value))));
  }

  get deadLetters(): OutputRecord[] {
    return this.published.filter(({ topic }) => topic === topics['dead-letters']);
  }
}

/** A line of the log: its level's name, its text, and what else is in it. */
export interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly msg: string;
}

/** A worker between fakes, started. */
export async function startWorker(detection: DetectionInput = {}, level = 'debug', model?: ModelClient) {
  const made = createWorker(detection, level, model);
  await made.worker.start();
  return made;
}

/** A worker between fakes, not started yet. */
export function createWorker(detection: DetectionInput = {}, level = 'debug', model?: ModelClient) {
  const source = new FakeSource();
  const sink = new FakeSink();
  const registry = new Registry();
  const lines: LogLine[] = [];
  const logger = pino(
    { level, base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
  );
  const clock = { now: 1_760_000_000_000 };
  const worker = new Worker({
    source,
    sink,
    topics,
    detection: detectionSchema.parse({ preset: 'stream', ...detection }),
    registry,
    logger,
    model,
    now: () => clock.now,
  });
  return { worker, source, sink, registry, lines, clock };
}

/** Records from values: a text as it is, anything else as JSON. */
export function records(
  first: number,
  values: readonly unknown[],
  more: Partial<LogRecord> = {},
): LogRecord[] {
  return values.map((value, i) => ({
    offset: first + i,
    timestamp: 1_760_000_000_000,
    key: null,
    value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    headers: {},
    ...more,
  }));
}

/** The same call of one session, so many times. */
export function calls(count: number, more: Record<string, unknown> = {}): unknown[] {
  const call = { sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } };
  return Array.from({ length: count }, () => ({ ...call, ...more }));
}

/** What `/metrics` says of a sample, written as it stands there: `loopwatch_events_total{type="content"}`. */
export async function metric(registry: Registry, sample: string): Promise<number | undefined> {
  const lines = (await registry.metrics()).split('\n');
  const line = lines.find((text) => text.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}
