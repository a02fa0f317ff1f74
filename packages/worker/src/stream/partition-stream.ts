import { concatWith, defer, EMPTY, from, Subject, Subscription } from 'rxjs';
import { type Stages, type Streams, topology } from './topology.ts';

interface Handed {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The stream of one partition in use: takes its batches one at a time, and tells whose fault an error is. */
export class PartitionStream<Batch> {
  readonly #batches = new Subject<Batch>();
  #subscription = Subscription.EMPTY;
  /** The batch that is being processed. */
  #handed: Handed | undefined;

  /** @param onFault called when the stream ends with an error that no batch caused */
  start<Work, Commit>(
    streams: Pick<Streams<Batch, Work>, 'answers' | 'ticks'>,
    stages: Stages<Batch, Work, Commit>,
    onFault: (error: unknown) => void,
  ): void {
    const process = (batch: Batch) =>
      from(stages.process(batch)).pipe(concatWith(defer(() => this.#processed())));
    this.#subscription = topology({ ...streams, batches: this.#batches }, { ...stages, process }).subscribe({
      error: (error: unknown) => {
        const handed = this.#takeHanded();
        if (handed === undefined) onFault(error);
        else handed.reject(error);
      },
    });
  }

  /**
   * @returns resolves when the batch is processed and its commit has begun, or the stream was closed; rejects when an error has
   *   ended the stream
   */
  process(batch: Batch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#handed = { resolve, reject };
      this.#batches.next(batch);
    });
  }

  close(): void {
    this.#subscription.unsubscribe();
    this.#takeHanded()?.resolve();
  }

  #processed() {
    this.#takeHanded()?.resolve();
    return EMPTY;
  }

  #takeHanded(): Handed | undefined {
    const handed = this.#handed;
    this.#handed = undefined;
    return handed;
  }
}
