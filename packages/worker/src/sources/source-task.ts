import { setImmediate as turn } from 'node:timers/promises';
import type { SourceSettings, TopicNames } from '@loopwatch/contract';
import type {
  LogRecord,
  OutputRecord,
  PartitionPosition,
  PartitionTask,
  Place,
  TaskBatch,
  TaskLane,
} from '@loopwatch/log';
import { notedLetter } from '../dead-letter.ts';
import type { DeadLetterLog, DeadLetterNote } from '../dead-letter-log.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { IgnoredTypes } from './ignored-types.ts';
import { RecordTranslator } from './record-translator.ts';
import { ReplayWindow } from './replay-window.ts';

/** What the partitions of all sources share. */
export interface SourceTaskDeps {
  readonly topics: Pick<TopicNames, 'events' | 'dead-letters'>;
  readonly metrics: Pick<WorkerMetrics, 'sourceRecords' | 'deadLetters'>;
  readonly letters: DeadLetterLog;
  readonly ignored: IgnoredTypes;
  /** Told when steps are durable, with the end of the partition as it was then. */
  readonly durable: (position: PartitionPosition) => void;
}

type Outcome = 'translated' | 'ignored' | 'dead_letter';

/** Translating is not to keep timers and sockets of the process waiting for longer, ms. */
const turnMs = 20;

/** Turns the records of one partition of a source into events, which become durable together with the position behind them. */
export class SourceTask implements PartitionTask {
  readonly #place: Place;
  readonly #lane: TaskLane;
  readonly #deps: SourceTaskDeps;
  readonly #translator: RecordTranslator;
  readonly #window = new ReplayWindow();
  #isClosed = false;

  constructor(place: Place, lane: TaskLane, settings: SourceSettings, deps: SourceTaskDeps) {
    this.#place = place;
    this.#lane = lane;
    this.#deps = deps;
    this.#translator = new RecordTranslator(settings);
  }

  /** Nothing is kept beside the log. */
  restore(): void {
    return;
  }

  async replay(batch: TaskBatch): Promise<void> {
    await this.#each(batch, (record) => void this.#translator.read(record));
  }

  ready(): void {
    return;
  }

  async process(batch: TaskBatch): Promise<void> {
    const { topics, metrics, letters, ignored, durable } = this.#deps;
    const { next, lag, isRetry = false } = batch;
    const outputs: OutputRecord[] = [];
    const notes: DeadLetterNote[] = [];
    const types = new Set<string>();
    const counts = new Map<Outcome, number>();
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
      const outcome = outcomeOf(read.fault !== undefined, read.events.length);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    });
    if (this.#isClosed) return;
    const step = { position: next, resumeFrom: this.#window.begin(next), outputs, state: [] };
    void this.#lane.commit(step).then(
      () => {
        const { topic } = this.#place;
        for (const [result, count] of counts) metrics.sourceRecords.inc({ topic, result }, count);
        for (const note of notes) {
          metrics.deadLetters.inc({ reason: note.reason });
          letters.note(note);
        }
        ignored.note(topic, types);
        durable({ ...this.#place, position: next, end: next + lag });
      },
      // The partition's work restarts from what is durable.
      () => undefined,
    );
  }

  close(): void {
    this.#isClosed = true;
  }

  async #each({ records }: TaskBatch, use: (record: LogRecord) => void): Promise<void> {
    let began = performance.now();
    let bytes = 0;
    for (const record of records) {
      use(record);
      bytes += record.value?.length ?? 0;
      if (performance.now() - began < turnMs) continue;
      await turn();
      began = performance.now();
    }
    const [first] = records;
    if (first !== undefined) this.#window.note(first.offset, records.length, bytes);
  }
}

function outcomeOf(isFaulty: boolean, events: number): Outcome {
  if (isFaulty) return 'dead_letter';
  return events > 0 ? 'translated' : 'ignored';
}
