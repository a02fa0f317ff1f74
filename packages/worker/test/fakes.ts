import { type DetectionInput, detectionSchema, topicNames } from '@loopwatch/contract';
import { BytesRecord, type LogRecord } from '@loopwatch/log';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type ModelClient, type Sources, Worker, type WorkerDeps } from '../src/index.ts';
import { MemoryRunner } from './memory-runner.ts';

export const topics = topicNames({ prefix: 'test.' });

/** A log line: name of its level, message, and fields. */
export interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly msg: string;
}

/** A started worker on an in-memory log. */
export async function startWorker(
  detection: DetectionInput = {},
  level = 'debug',
  model?: ModelClient,
  summaryIntervalMs?: number,
  more: Partial<WorkerDeps> = {},
) {
  const made = createWorker(detection, level, model, summaryIntervalMs, undefined, more);
  await made.worker.start();
  return made;
}

/** A worker on an in-memory log, not started yet. */
export function createWorker(
  detection: DetectionInput = {},
  level = 'debug',
  model?: ModelClient,
  // Longer than any test: no summaries on the timer.
  summaryIntervalMs = 600_000,
  sources?: Sources,
  more: Partial<WorkerDeps> = {},
) {
  const log = new MemoryRunner(topics.events);
  const registry = new Registry();
  const lines: LogLine[] = [];
  const logger = pino(
    { level, base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
  );
  const clock = { now: 1_760_000_000_000 };
  const worker = new Worker({
    system: 'kafka',
    runner: log,
    sources,
    topics,
    detection: detectionSchema.parse({ preset: 'stream', ...detection }),
    registry,
    logger,
    model,
    now: () => clock.now,
    monotonic: () => clock.now,
    summaryIntervalMs,
    ...more,
  });
  return { worker, log, registry, lines, clock };
}

/** Records from values: strings as they are, anything else as JSON. */
export function records(
  first: number,
  values: readonly unknown[],
  more: Partial<LogRecord> = {},
): LogRecord[] {
  return values.map((value, i) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const record = { offset: first + i, timestamp: 1_760_000_000_000, key: null, value: Buffer.from(text) };
    return new BytesRecord({ ...record, headers: {}, ...more });
  });
}

/** `count` identical calls of one session. */
export function calls(count: number, more: Record<string, unknown> = {}): unknown[] {
  const call = { sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } };
  return Array.from({ length: count }, () => ({ ...call, ...more }));
}

/** The value of a sample in `/metrics`, e.g. `loopwatch_events_total{type="content"}`. */
export async function metric(registry: Registry, sample: string): Promise<number | undefined> {
  const lines = (await registry.metrics()).split('\n');
  const line = lines.find((text) => text.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}
