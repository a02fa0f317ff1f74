import type { LogRecord } from '../../port/records.ts';
import type { FetchedPartition } from './fetch-request.ts';
import { RecordDecoder } from './record-decoder.ts';

/** Records of one partition, in order. */
export interface Fetched {
  readonly records: readonly LogRecord[];
  /** The offset behind them, markers of transactions included. */
  readonly next: number;
  /** Records of the partition behind these when they were fetched. */
  readonly lag: number;
}

export interface StreamOwner {
  /** The stream has little fetched ahead any more. */
  wanted(): void;
  closed(stream: PartitionStream): void;
  /** What the stream may be sent at once. */
  maxBytes(): number;
}

interface Answer {
  readonly decoder: RecordDecoder;
  readonly highWatermark: number;
}

/** Records are handed over in pieces of about so many bytes: an answer of several may not keep the event loop that long. */
const pieceBytes = 1024 * 1024;
/** Small answers are not collected without end. */
const mostAnswers = 2;

/** One partition's records as they come; pull them one piece after the other. */
export class PartitionStream {
  readonly topic: string;
  readonly partition: number;
  readonly #owner: StreamOwner;
  readonly #answers: Answer[] = [];
  /** What to fetch next. */
  #offset: number;
  /** Behind what was handed over. */
  #position: number;
  #closed = false;
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

  /** Fetched while there is still something to work on, so that there is no wait for it. */
  get isWanted(): boolean {
    if (this.#closed || this.#answers.length >= mostAnswers) return false;
    const ahead = this.#answers.reduce((bytes, { decoder }) => bytes + decoder.left, 0);
    return ahead < this.#owner.maxBytes() / 2;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The next records, once there are some; `undefined` when the stream is closed. */
  async next(): Promise<Fetched | undefined> {
    for (;;) {
      while (this.#answers.length === 0 && !this.#closed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const [answer] = this.#answers;
      if (answer === undefined || this.#closed) return undefined;
      const { decoder, highWatermark } = answer;
      const { records, next } = await decoder.take(pieceBytes);
      if (decoder.left === 0) this.#answers.shift();
      // Fetched while these are worked on.
      this.#owner.wanted();
      const from = this.#position;
      this.#position = next;
      if (records.length > 0 || next > from) return { records, next, lag: Math.max(0, highWatermark - next) };
    }
  }

  close(): void {
    this.#closed = true;
    this.#answers.length = 0;
    this.#owner.closed(this);
    this.#wakeUp();
  }

  deliver({ bytes, abortedTransactions, highWatermark }: FetchedPartition): void {
    const place = `${this.topic}/${this.partition}`;
    const decoder = new RecordDecoder(bytes, this.#offset, abortedTransactions, place);
    if (decoder.left === 0) return;
    this.#offset = decoder.next;
    this.#answers.push({ decoder, highWatermark });
    this.#wakeUp();
  }

  /** Goes on elsewhere. */
  reset(offset: number): void {
    this.#offset = offset;
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
