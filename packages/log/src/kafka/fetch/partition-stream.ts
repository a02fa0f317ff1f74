import type { Fetched, FetchTimes } from '../../port/task.ts';
import type { FetchedPartition } from './fetch-request.ts';
import { RecordDecoder } from './record-decoder.ts';

export interface StreamOwner {
  /** The stream has little fetched ahead and needs another fetch. */
  wanted(): void;
  closed(stream: PartitionStream): void;
  /** Bytes that one fetch may return for the stream. */
  maxBytes(): number;
}

interface Answer {
  readonly decoder: RecordDecoder;
  readonly highWatermark: number;
  /** Until its first records are returned. */
  fetch: FetchTimes | undefined;
}

/** Records are returned in pieces of about this many bytes, because a larger piece would block the event loop for too long. */
const PIECE_BYTES = 1024 * 1024;
/** Limits how many small answers are fetched ahead. */
const MAX_ANSWERS = 2;

/** One partition's records, pulled piece by piece. */
export class PartitionStream {
  readonly topic: string;
  readonly partition: number;
  readonly #owner: StreamOwner;
  readonly #answers: Answer[] = [];
  /** The next offset to fetch. */
  #offset: number;
  /** The offset after the records already returned. */
  #position: number;
  #bounds: Pick<FetchedPartition, 'highWatermark' | 'lastStableOffset'> | undefined;
  #closed = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(topic: string, partition: number, offset: number, owner: StreamOwner) {
    this.topic = topic;
    this.partition = partition;
    this.#offset = offset;
    this.#position = offset;
    this.#owner = owner;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Whether to fetch more; true before the fetched records run out, so that the consumer does not wait. */
  get isWanted(): boolean {
    if (this.#closed || this.#answers.length >= MAX_ANSWERS) return false;
    const ahead = this.#answers.reduce((bytes, { decoder }) => bytes + decoder.left, 0);
    return ahead < this.#owner.maxBytes() / 2;
  }

  /** As of the latest answer; `undefined` before the first. */
  get bounds(): Pick<FetchedPartition, 'highWatermark' | 'lastStableOffset'> | undefined {
    return this.#bounds;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Waits for the next records; `undefined` once the stream is closed. @throws what it failed with */
  async next(): Promise<Fetched | undefined> {
    for (;;) {
      while (this.#answers.length === 0 && !this.#closed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#failure !== undefined) throw this.#failure;
      const [answer] = this.#answers;
      if (answer === undefined || this.#closed) return undefined;
      const { decoder, highWatermark } = answer;
      const { records, next } = await decoder.take(PIECE_BYTES);
      if (this.#answers[0] !== answer) continue;
      if (decoder.left === 0) this.#answers.shift();
      // Fetch more while the caller processes these.
      this.#owner.wanted();
      const from = this.#position;
      this.#position = next;
      if (records.length === 0 && next <= from) continue;
      const { fetch } = answer;
      answer.fetch = undefined;
      return { records, next, lag: Math.max(0, highWatermark - next), ...(fetch !== undefined && { fetch }) };
    }
  }

  close(): void {
    this.#closed = true;
    this.#answers.length = 0;
    this.#owner.closed(this);
    this.#wakeUp();
  }

  deliver(
    { bytes, abortedTransactions, highWatermark, lastStableOffset }: FetchedPartition,
    fetch?: FetchTimes,
  ): void {
    this.#bounds = { highWatermark, lastStableOffset };
    const partitionName = `${this.topic}/${this.partition}`;
    const decoder = new RecordDecoder(bytes, this.#offset, abortedTransactions, partitionName);
    if (decoder.left === 0) return;
    this.#offset = decoder.next;
    this.#answers.push({ decoder, highWatermark, fetch });
    this.#wakeUp();
  }

  /** Closes the stream: no record that comes is one of those after it. */
  fail(failure: Error): void {
    this.#failure = failure;
    this.close();
  }

  /** Continues at an offset of another topic, without what was fetched ahead. */
  restart(offset: number): void {
    this.#answers.length = 0;
    this.#position = offset;
    this.reset(offset);
  }

  /** Continues at another offset. */
  reset(offset: number): void {
    this.#offset = offset;
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
