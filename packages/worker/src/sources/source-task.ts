import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SourceSettings, TopicNames } from '@loopwatch/contract';
import { oneLine } from '@loopwatch/detectors/internal';
import {
  type DecodedValue,
  LogError,
  type LogRecord,
  namesSchema,
  type OutputRecord,
  type PartitionPosition,
  type PartitionTask,
  type Step,
  type TaskBatch,
  type TaskLane,
  type TopicPartition,
  type ValueDecoder,
} from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import { type DeadLetterLog, type DeadLetterNote, notedLetter } from '../partition/dead-letter-log.ts';
import { BatchTrace } from '../report/batch-trace.ts';
import { reportFault } from '../report/fault.ts';
import type { WorkerMetrics } from '../report/metrics.ts';
import { RecordFault } from '../stream/each-record.ts';
import { PartitionStream } from '../stream/partition-stream.ts';
import { RecordTranslator, type TranslatedRecord } from './record-translator.ts';

/** What the partitions of all sources share. */
export interface SourceTaskDeps {
  readonly decoder: ValueDecoder | undefined;
  readonly topics: Pick<TopicNames, 'events' | 'dead-letters'>;
  readonly metrics: Pick<WorkerMetrics, 'sourceRecords' | 'deadLetters' | 'faults'>;
  readonly logger: Logger;
  readonly letters: DeadLetterLog;
  readonly ignored: IgnoredTypes;
  /** Called after each commit, with the end of the partition at that time. */
  readonly onCommitted: (position: PartitionPosition) => void;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

type RecordResult = 'translated' | 'ignored' | 'dead_letter';

const noRegistry: DecodedValue = {
  fault:
    'the value begins like those of serializers for a schema registry (byte 0, then the id of a schema), and no registry is configured. Set kafka.schema_registry.url',
};

/** Translation yields to the event loop after this time, ms. */
const YIELD_AFTER_MS = 20;

interface TracedBatch {
  readonly batch: TaskBatch;
  readonly trace: BatchTrace;
}

/** What a batch leads to. */
interface Work extends TracedBatch {
  readonly outputs: OutputRecord[];
  readonly letters: DeadLetterNote[];
  readonly ignored: Set<string>;
  readonly counts: Map<RecordResult, number>;
}

interface Commit {
  readonly work: Work;
  readonly step: Step;
}

/** Translates one partition of a source into events, committed together with the offset of the next record. */
export class SourceTask implements PartitionTask {
  readonly #topicPartition: TopicPartition;
  readonly #lane: TaskLane;
  readonly #deps: SourceTaskDeps;
  readonly #translator: RecordTranslator;
  readonly #window = new ReplayWindow();
  readonly #stream = new PartitionStream<TracedBatch>();

  constructor(
    topicPartition: TopicPartition,
    lane: TaskLane,
    settings: SourceSettings,
    deps: SourceTaskDeps,
  ) {
    this.#topicPartition = topicPartition;
    this.#lane = lane;
    this.#deps = deps;
    this.#translator = new RecordTranslator(settings);
  }

  /** A source stores no state in addition to the log. */
  restore(): void {
    return;
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.#each(batch, (record, decoded) => {
      try {
        this.#translator.read(record, decoded);
      } catch {
        // It is a dead letter by now.
      }
    });
  }

  ready(): void {
    this.#stream.start(
      {},
      {
        process: (traced) => this.#translated(traced),
        toCommit: (work) => ({ work, step: this.#step(work) }),
        commit: (commit) => this.#commit(commit),
      },
      (error) => {
        this.#lane.fail(error);
        reportFault(this.#deps, this.#topicPartition, error);
      },
    );
  }

  process(batch: TaskBatch): Promise<void> {
    return BatchTrace.around(batch, this.#deps.system, (trace) => this.#process({ batch, trace }));
  }

  async #process(traced: TracedBatch): Promise<void> {
    try {
      await this.#stream.process(traced);
    } catch (error) {
      // Not a fault: a registry that is not available.
      if (!(error instanceof LogError)) reportFault(this.#deps, this.#topicPartition, error);
      throw error;
    }
  }

  close(): void {
    this.#stream.close();
  }

  async #translated(traced: TracedBatch): Promise<Work> {
    const { topics } = this.#deps;
    const { isRetry = false } = traced.batch;
    const work: Work = { ...traced, outputs: [], letters: [], ignored: new Set(), counts: new Map() };
    const { outputs, letters, ignored, counts } = work;
    await this.#each(traced.batch, (record, decoded) => {
      const read = this.#read(record, decoded);
      const { timestamp } = record;
      for (const { sessionId, text } of read.events)
        outputs.push({ topic: topics.events, key: sessionId, value: text, timestamp });
      if (read.fault !== undefined) {
        const letter = notedLetter(topics['dead-letters'], record, this.#topicPartition, read.fault, isRetry);
        outputs.push(letter.output);
        letters.push(letter.note);
      }
      for (const type of read.ignored) ignored.add(type);
      const result = resultOf(read.fault !== undefined, read.events.length);
      counts.set(result, (counts.get(result) ?? 0) + 1);
    });
    return work;
  }

  #read(record: LogRecord, decoded: DecodedValue | undefined): TranslatedRecord {
    try {
      return this.#translator.read(record, decoded);
    } catch (cause) {
      throw new RecordFault(record, cause);
    }
  }

  #step({ batch: { next }, outputs, letters, trace }: Work): Step {
    trace.processed({
      'loopwatch.batch.events': outputs.length - letters.length,
      'loopwatch.batch.dead_letters': letters.length,
    });
    return { position: next, resumeFrom: this.#window.start(next), outputs, state: [] };
  }

  async #commit({ work, step }: Commit): Promise<void> {
    const { metrics, letters, ignored, onCommitted } = this.#deps;
    const committing = this.#lane.commit(step).then(
      () => true,
      // The partition restarts from the last commit.
      () => false,
    );
    if (!(await work.trace.commit(committing))) return;
    const { topic } = this.#topicPartition;
    for (const [result, count] of work.counts) metrics.sourceRecords.inc({ topic, result }, count);
    for (const letter of work.letters) {
      metrics.deadLetters.inc({ reason: letter.reason });
      letters.note(letter);
    }
    ignored.note(topic, work.ignored);
    const { next, lag } = work.batch;
    onCommitted({ ...this.#topicPartition, position: next, end: next + lag });
  }

  /** @throws LogError when a value cannot be decoded at present */
  async #each(
    { records }: TaskBatch,
    use: (record: LogRecord, decoded: DecodedValue | undefined) => void,
  ): Promise<void> {
    const { decoder } = this.#deps;
    let startedAt = performance.now();
    let bytes = 0;
    for (const record of records) {
      const decoded =
        record.rejection === undefined && namesSchema(record.value)
          ? ((await decoder?.decode(record.value)) ?? noRegistry)
          : undefined;
      use(record, decoded);
      bytes += record.value?.length ?? 0;
      if (performance.now() - startedAt < YIELD_AFTER_MS) continue;
      await yieldToEventLoop();
      startedAt = performance.now();
    }
    const [first] = records;
    if (first !== undefined) this.#window.note(first.offset, records.length, bytes);
  }
}

function resultOf(isFaulty: boolean, events: number): RecordResult {
  if (isFaulty) return 'dead_letter';
  return events > 0 ? 'translated' : 'ignored';
}

/** Upper bounds of what a takeover translates again. */
const MAX_RECORDS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

interface BatchSpan {
  readonly from: number;
  readonly records: number;
  readonly bytes: number;
}

/**
 * How far back a takeover of a source replays: as far as a reader's memory of earlier records is likely to matter. Events
 * translated twice keep their ids.
 */
export class ReplayWindow {
  readonly #spans: BatchSpan[] = [];
  #records = 0;
  #bytes = 0;

  /** Adds a batch that starts at offset `from`. */
  note(from: number, records: number, bytes: number): void {
    this.#spans.push({ from, records, bytes });
    this.#records += records;
    this.#bytes += bytes;
    for (
      let [first] = this.#spans;
      first !== undefined && this.#isWideWithout(first);
      [first] = this.#spans
    ) {
      this.#spans.shift();
      this.#records -= first.records;
      this.#bytes -= first.bytes;
    }
  }

  /** @param position offset of the next record @returns offset to replay from */
  start(position: number): number {
    return this.#spans[0]?.from ?? position;
  }

  /** Whether the window is wide enough without this batch. */
  #isWideWithout({ records, bytes }: BatchSpan): boolean {
    return this.#records - records >= MAX_RECORDS || this.#bytes - bytes >= MAX_BYTES;
  }
}

/** Ignored types that are logged, over all topics: producers choose their names. */
const MAX_TYPES = 100;

/** Logs each ignored record type once, so that a misread source does not look healthy. */
export class IgnoredTypes {
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(topic: string, types: Iterable<string>): void {
    for (const type of types) {
      if (this.#logged.size >= MAX_TYPES) return;
      const name = JSON.stringify([topic, type]);
      if (this.#logged.has(name)) continue;
      this.#logged.add(name);
      this.#logger.info(
        { topic, type },
        oneLine(`Ignoring records of type "${type}" in ${topic}: not relevant to loops (logged once)`),
      );
    }
  }
}
