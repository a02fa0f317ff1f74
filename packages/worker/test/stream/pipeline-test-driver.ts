import { type DetectionInput, detectionSchema, type Verdict } from '@loopwatch/contract';
import type { EvictionReason, InputRecord, Outcome, PipelineObserver } from '../../src/records.ts';
import { LoopPipeline } from '../../src/stream/loop-pipeline.ts';
import type { PartitionPipeline } from '../../src/stream/partition-pipeline.ts';
import type { CheckHandling } from '../../src/stream/semantic-checks.ts';

export interface WriteOptions {
  readonly partition?: number;
  readonly key?: string | null;
  /** Epoch ms; `null`: the session's previous time. */
  readonly timestamp?: number | null;
}

/**
 * Detection in-process, without a log: write values to partitions and read the output.
 */
export class PipelineTestDriver {
  readonly verdicts: Omit<Verdict, 'detectedAt'>[] = [];
  readonly deadLetters: Extract<Outcome, { type: 'dead_letter' }>[] = [];
  readonly events: string[] = [];
  readonly refusals: string[] = [];
  readonly turnRequests: string[] = [];
  readonly evictions: EvictionReason[] = [];
  readonly abandoned: string[] = [];
  readonly faults: string[] = [];
  duplicates = 0;
  readonly #pipeline: LoopPipeline;
  readonly #partitions = new Map<number, PartitionPipeline>();
  readonly #offsets = new Map<number, number>();

  /** @param checks answers the checks of the semantic layer */
  constructor(config: DetectionInput = {}, checks?: CheckHandling) {
    const observer: PipelineObserver = {
      event: (type) => this.events.push(type),
      duplicate: () => {
        this.duplicates += 1;
      },
      refusedSetting: (sessionId, message) => this.refusals.push(`${sessionId}: ${message}`),
      turnRequest: (sessionId, { number, allowed }) =>
        this.turnRequests.push(`${sessionId}: ${String(number)}/${String(allowed)}`),
      evicted: (reason) => this.evictions.push(reason),
      abandoned: (incidentIds) => this.abandoned.push(...incidentIds),
      fault: (sessionId) => this.faults.push(sessionId),
    };
    this.#pipeline = new LoopPipeline(detectionSchema.parse(config), observer, checks);
  }

  get activeSessions(): number {
    return this.#pipeline.activeSessions;
  }

  /** Writes values as one batch; a value that is not a string is written as JSON. */
  async write(
    values: readonly unknown[],
    { partition = 0, key = null, timestamp = 0 }: WriteOptions = {},
  ): Promise<this> {
    const first = this.#offsets.get(partition) ?? 0;
    this.#offsets.set(partition, first + values.length);
    const records = values.map((value, i): InputRecord => {
      const text = value === null || typeof value === 'string' ? value : JSON.stringify(value);
      return { offset: first + i, timestamp, key, text };
    });
    await this.#open(partition)
      .process(records)
      .forEach((outcome) => {
        if (outcome.type === 'verdict') this.verdicts.push(outcome.verdict);
        else if (outcome.type === 'dead_letter') this.deadLetters.push(outcome);
      });
    return this;
  }

  /** Simulates the partition moving to another worker. */
  lose(partition: number): this {
    this.#partitions.get(partition)?.close();
    this.#partitions.delete(partition);
    return this;
  }

  #open(partition: number): PartitionPipeline {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const opened = this.#pipeline.partition({ topic: 'events', partition });
    opened.answers.subscribe();
    this.#partitions.set(partition, opened);
    return opened;
  }
}
