import type { RecordSink } from '../../port/records.ts';
import type { Step, TopicPartition } from '../../port/task.ts';
import { metadataOf, type StepPosition, type StepWriter, type StepWriterOptions } from './step-writer.ts';

/**
 * Writes the outputs, then the saved state, then the position: after a failure in between, the outputs are written again
 * with the same ids. The state is written after the outputs it refers to, so none of them can be missing. Before the state, it
 * commits the known position again, which fails for a process that was suspended and replaced: its state would overwrite what
 * its successor saved. Only a suspension between the two is not noticed.
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

  async write(step: Step, previous?: StepPosition): Promise<void> {
    await this.#sink.publish(step.outputs);
    if (step.state.length > 0) {
      if (previous !== undefined) await this.#commitPosition(previous);
      await this.#sink.publish(this.#options.state.records(step.state));
    }
    await this.#commitPosition(step);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #commitPosition(step: StepPosition): Promise<void> {
    const { topic, partition } = this.#options.topicPartition;
    return this.#commit({ topic, partition, offset: String(step.position), metadata: metadataOf(step) });
  }
}
