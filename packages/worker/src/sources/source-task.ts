import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SourceSettings, TopicNames } from '@loopwatch/contract';
import { oneLine } from '@loopwatch/detectors';
import type {
  LogRecord,
  OutputRecord,
  PartitionPosition,
  PartitionTask,
  TaskBatch,
  TaskLane,
  TopicPartition,
} from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import { notedLetter } from '../partition/dead-letter.ts';
import type { DeadLetterLog, DeadLetterNote } from '../partition/dead-letter-log.ts';
import { BatchTrace } from '../report/batch-trace.ts';
import type { WorkerMetrics } from '../report/metrics.ts';
import { RecordTranslator } from './record-translator.ts';

/** What the partitions of all sources share. */
export interface SourceTaskDeps {
  readonly topics: Pick<TopicNames, 'events' | 'dead-letters'>;
  readonly metrics: Pick<WorkerMetrics, 'sourceRecords' | 'deadLetters'>;
  readonly letters: DeadLetterLog;
  readonly ignored: IgnoredTypes;
  /** Called after each commit, with the end of the partition at that time. */
  readonly onCommitted: (position: PartitionPosition) => void;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

type RecordResult = 'translated' | 'ignored' | 'dead_letter';

/** Translation yields to the event loop after this time, ms. */
const yieldAfterMs = 20;

/** Translates one partition of a source into events, committed together with the offset of the next record. */
export class SourceTask implements PartitionTask {
  readonly #place: TopicPartition;
  readonly #lane: TaskLane;
  readonly #deps: SourceTaskDeps;
  readonly #translator: RecordTranslator;
  readonly #window = new ReplayWindow();
  #isClosed = false;

  constructor(place: TopicPartition, lane: TaskLane, settings: SourceSettings, deps: SourceTaskDeps) {
    this.#place = place;
    this.#lane = lane;
    this.#deps = deps;
    this.#translator = new RecordTranslator(settings);
  }

  /** A source stores no state in addition to the log. */
  restore(): void {
    return;
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.#each(batch, (record) => void this.#translator.read(record));
  }

  ready(): void {
    return;
  }

  process(batch: TaskBatch): Promise<void> {
    return BatchTrace.around(batch, this.#deps.system, (trace) => this.#process(batch, trace));
  }

  async #process(batch: TaskBatch, trace: BatchTrace): Promise<void> {
    const { topics, metrics, letters, ignored, onCommitted } = this.#deps;
    const { next, lag, isRetry = false } = batch;
    const outputs: OutputRecord[] = [];
    const notes: DeadLetterNote[] = [];
    const types = new Set<string>();
    const counts = new Map<RecordResult, number>();
    await this.#each(batch, (record) => {
      const read = this.#translator.read(record);
      const { timestamp } = record;
      for (const { sessionId, text } of read.events)
        outputs.push({ topic: topics.events, key: sessionId, value: text, timestamp });
      if (read.fault !== undefined) {
        const letter = notedLetter(topics['dead-letters'], record, this.#place, read.fault, isRetry);
        outputs.push(letter.output);
        notes.push(letter.note);
      }
      for (const type of read.ignored) types.add(type);
      const result = resultOf(read.fault !== undefined, read.events.length);
      counts.set(result, (counts.get(result) ?? 0) + 1);
    });
    if (this.#isClosed) {
      trace.interrupted();
      return;
    }
    trace.processed({
      'loopwatch.batch.events': outputs.length - notes.length,
      'loopwatch.batch.dead_letters': notes.length,
    });
    const step = { position: next, resumeFrom: this.#window.start(next), outputs, state: [] };
    const committing = this.#lane.commit(step).then(
      () => true,
      // The partition restarts from the last commit.
      () => false,
    );
    void trace.commit(committing).then((isCommitted) => {
      if (!isCommitted) return;
      const { topic } = this.#place;
      for (const [result, count] of counts) metrics.sourceRecords.inc({ topic, result }, count);
      for (const note of notes) {
        metrics.deadLetters.inc({ reason: note.reason });
        letters.note(note);
      }
      ignored.note(topic, types);
      onCommitted({ ...this.#place, position: next, end: next + lag });
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #each({ records }: TaskBatch, use: (record: LogRecord) => void): Promise<void> {
    let startedAt = performance.now();
    let bytes = 0;
    for (const record of records) {
      use(record);
      bytes += record.value?.length ?? 0;
      if (performance.now() - startedAt < yieldAfterMs) continue;
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
const maxRecords = 5_000;
const maxBytes = 16 * 1024 * 1024;

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
    return this.#records - records >= maxRecords || this.#bytes - bytes >= maxBytes;
  }
}

/** Ignored types that are logged, over all topics: producers choose their names. */
const maxTypes = 100;

/** Logs each ignored record type once, so that a misread source does not look healthy. */
export class IgnoredTypes {
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(topic: string, types: Iterable<string>): void {
    for (const type of types) {
      if (this.#logged.size >= maxTypes) return;
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
