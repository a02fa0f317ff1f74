import type { RecordSink } from '../../port/records.ts';
import type { StateChange, Step, StepPosition } from '../../port/task.ts';
import type { Commit } from './membership.ts';
import { metadataOf, type StepWriter, type StepWriterOptions } from './step-writer.ts';

/**
 * Writes the outputs, then the entries of saved state, then the position, and deletes entries at last: after a failure in
 * between, the outputs are written again with the same ids. An entry is written after the outputs it refers to, so none of them
 * can be missing, and deleted once no position needs it.
 *
 * Before the state, it commits the known position again, which fails for a process that was suspended and replaced: its state
 * would overwrite what its successor saved. Only a suspension between the two is not noticed.
 */
export class PlainStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #sink: Pick<RecordSink, 'publish'>;
  readonly #commit: Commit;
  #topicId: string | undefined;

  constructor(sink: Pick<RecordSink, 'publish'>, commit: Commit, options: StepWriterOptions) {
    this.#sink = sink;
    this.#commit = commit;
    this.#options = options;
  }

  open(topicId?: string): Promise<void> {
    this.#topicId = topicId;
    return Promise.resolve();
  }

  async write(step: Step, previous?: StepPosition): Promise<void> {
    await this.#sink.publish(step.outputs);
    // State that does not belong to the known position must be gone before a position is committed that it would belong to.
    const isLast = ({ value }: StateChange) => previous !== undefined && value === null;
    // Steps may have been merged: a session that ended may have begun again.
    const changes = [...new Map(step.state.map((change) => [change.key, change])).values()];
    const first = changes.filter((change) => !isLast(change));
    if (first.length > 0) {
      if (previous !== undefined) await this.#commitPosition(previous);
      await this.#publishState(first);
    }
    await this.#commitPosition(step);
    await this.#publishState(changes.filter(isLast));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #publishState(changes: readonly StateChange[]): Promise<void> {
    return this.#sink.publish(this.#options.state.records(changes));
  }

  #commitPosition(step: StepPosition): Promise<void> {
    return this.#commit({ offset: String(step.position), metadata: metadataOf(step, this.#topicId) });
  }
}
