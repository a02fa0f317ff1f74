import { deadLetterHeaders } from '@loopwatch/contract';
import { SessionAnalyzer } from '@loopwatch/detectors/internal';
import type { LogRecord, OpenTask, OutputRecord, TaskObserver, TaskRunner } from '@loopwatch/log';
import { onTestFinished } from 'vitest';
import { DetectionReport } from '../src/report/detection-report.ts';
import { PartitionSessions } from '../src/sessions/partition-sessions.ts';
import { SummaryCollector } from '../src/sessions/summaries.ts';

/** The offset of the record that is not processed. */
export const POISON_OFFSET = 4;

/** Throws at the poison record, each time or once. */
type Strike = () => void;

/** Makes a stage throw at the poison record. */
export const stages: readonly (readonly [stage: string, install: (strike: Strike) => void])[] = [
  [
    'decoding',
    (strike) => {
      readText = (record) => {
        if (record.offset === POISON_OFFSET) strike();
        return record.text;
      };
    },
  ],
  [
    'the lookup of its session',
    (strike) =>
      before(PartitionSessions.prototype, 'use', (_, [, offset]) => {
        if (offset === POISON_OFFSET) strike();
      }),
  ],
  [
    'its analysis',
    (strike) =>
      before(SessionAnalyzer.prototype, 'push', (_, [, , offset]) => {
        if (offset === POISON_OFFSET) strike();
      }),
  ],
  [
    'an observer',
    (strike) =>
      before(DetectionReport.prototype, 'event', (_, [type]) => {
        if (type === 'turn_started') strike();
      }),
  ],
  [
    'summaries',
    (strike) =>
      before(SummaryCollector.prototype, 'note', (_, [, , offset]) => {
        if (offset === POISON_OFFSET) strike();
      }),
  ],
  [
    'taking its check',
    (strike) =>
      before(SessionAnalyzer.prototype, 'takeCheck', ({ lastPosition }) => {
        if (lastPosition === POISON_OFFSET) strike();
      }),
  ],
  [
    'building the commit',
    (strike) => {
      const poisoned = new WeakSet<SessionAnalyzer>();
      before(SessionAnalyzer.prototype, 'push', (analyzer, [, , offset]) => {
        if (offset === POISON_OFFSET) poisoned.add(analyzer);
      });
      before(PartitionSessions.prototype, 'checkpoint', (sessions) => {
        if ([...sessions.all()].some(({ analyzer }) => poisoned.has(analyzer))) strike();
      });
    },
  ],
];

let readText: ((record: LogRecord) => string | null) | undefined;

/** Installs a fault until the end of the test. @param times how often it strikes @returns how often it has */
export function installFault(install: (strike: Strike) => void, times: number): () => number {
  let struck = 0;
  install(() => {
    if (struck === times) return;
    struck += 1;
    throw new Error('not thought of');
  });
  onTestFinished(() => {
    readText = undefined;
  });
  return () => struck;
}

/** Runs `look` before each call of a method, until the end of the test. */
export function before<K extends string, T extends Record<K, (...args: never[]) => unknown>>(
  prototype: T,
  method: K,
  look: (self: T, args: Parameters<T[K]>) => void,
): void {
  const original = prototype[method];
  prototype[method] = function (this: T, ...args: Parameters<T[K]>): unknown {
    look(this, args);
    return Reflect.apply(original, this, args);
  } as T[K];
  onTestFinished(() => {
    prototype[method] = original;
  });
}

/** A runner whose records can fail to be decoded. */
export function decodingRunner(inner: TaskRunner): TaskRunner {
  const watched = (record: LogRecord): LogRecord =>
    Object.defineProperty({ ...whole(record) }, 'text', { get: () => (readText ?? textOf)(record) });
  return {
    positions: () => inner.positions(),
    stop: () => inner.stop(),
    run: (open: OpenTask, observer?: TaskObserver) =>
      inner.run((topicPartition, lane) => {
        const task = open(topicPartition, lane);
        const process = task.process.bind(task);
        const replay = task.replay.bind(task);
        task.process = (batch) => process({ ...batch, records: batch.records.map(watched) });
        task.replay = (batch) => replay({ ...batch, records: batch.records.map(watched) });
        return task;
      }, observer),
  };
}

function whole({ offset, timestamp, key, value, headers, rejection }: LogRecord) {
  return { offset, timestamp, key, value, headers, text: null, ...(rejection && { rejection }) };
}

function textOf({ text }: LogRecord): string | null {
  return text;
}

const call = (sessionId: string, name = 'ls') => ({ sessionId, type: 'tool_call_request', name, args: {} });

/** Two sessions that loop, at the third of three equal calls; the poison record lies within the first. */
export function loops(topic: string): OutputRecord[] {
  const events = [
    ...[call('a'), call('b'), call('a'), call('b')],
    { sessionId: 'a', type: 'turn_started' },
    ...[call('a'), call('b')],
  ];
  return events.map((event, i) => outputOf(topic, { ...event, time: 1_760_000_000_000 + i }));
}

/** The first session leaves its loop. */
export function change(topic: string): OutputRecord {
  return outputOf(topic, { ...call('a', 'cat'), time: 1_760_000_001_000 });
}

function outputOf(topic: string, event: { readonly sessionId: string; readonly time: number }): OutputRecord {
  return { topic, key: event.sessionId, value: JSON.stringify(event) };
}

/** A verdict in a few words. */
export function verdictInWords(record: { readonly text: string | null }): string {
  const { sessionId, phase } = JSON.parse(record.text ?? 'null') as { sessionId: string; phase: string };
  return `${sessionId} ${phase}`;
}

/** A dead letter in a few words. */
export function letterInWords({ headers }: Pick<LogRecord, 'headers'>): string {
  const { code, offset, message } = deadLetterHeaders;
  return [code, offset, message].map((name) => Buffer.from(headers[name] ?? []).toString()).join(' ');
}
