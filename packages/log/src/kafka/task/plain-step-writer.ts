import type { RecordSink } from '../../port/records.ts';
import type { Step, TopicPartition } from '../../port/task.ts';
import { metadataOf, type StepWriter, type StepWriterOptions } from './step-writer.ts';

/**
 * Writes the outputs, then the saved state, then the position: after a failure in between, the outputs are written again
 * with the same ids. The state is written after the outputs it refers to, so none of them can be missing.
 */
export class PlainStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #sink: Pick<RecordSink, 'publish'>;
  readonly #commit: (offset: TopicPartition & { offset: string; metadata: string }) => Promise<void>;

  /** @param commit commits as the current group member; rejects once this process is no longer one */
  constructor(
    sink: Pick<RecordSink, 'publish'>,
    commit: (offset: TopicPartition & { offset: string; metadata: string }) => Promise<void>,
    options: StepWriterOptions,
  ) {
    this.#sink = sink;
    this.#commit = commit;
    this.#options = options;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  async write(step: Step): Promise<void> {
    await this.#sink.publish(step.outputs);
    await this.#sink.publish(this.#options.state.records(step.state));
    const { topic, partition } = this.#options.topicPartition;
    await this.#commit({ topic, partition, offset: String(step.position), metadata: metadataOf(step) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
