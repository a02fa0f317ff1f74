import kafkaErrors from 'kafkajs/src/protocol/error.js';
import { messageOf } from './errors.ts';
import type { KafkaCluster } from './kafka-cluster.ts';
import { type FetchedPartition, type FetchLimits, fetchFrom } from './kafka-fetch.ts';
import { listOffset } from './kafka-offsets.ts';
import { decodeRecords } from './kafka-record-decoder.ts';
import type { LogFunction } from './log-function.ts';
import type { LogRecord } from './ports.ts';
import type { Place } from './task.ts';
import { backoff, delay } from './timing.ts';
import type { Bounds } from './topic-reader.ts';

export interface FetcherOptions extends FetchLimits {
  readonly log: LogFunction | undefined;
  /** The brokers cannot be read from, or can again. */
  readonly onConnection?: (state: 'up' | 'down', reason?: string) => void;
  /** Where to go on when the next record is not in the log; default: at the bound nearest to it. */
  readonly goOn?: (place: Place, bounds: Bounds) => Promise<number>;
}

/** Records of one partition, in order. */
export interface Fetched {
  readonly records: readonly LogRecord[];
  /** The offset behind them, markers of transactions included. */
  readonly next: number;
  /** Records of the partition behind these when they were fetched. */
  readonly lag: number;
}

/** While a partition's bytes wait for somebody to take them, a broker may hold the fetch of others only so long, ms. */
const hurriedWaitMs = 5;
const outOfRange = 1;
/** Answers after which the cluster has to be asked who leads the partition. */
const staleTypes = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'KAFKA_STORAGE_ERROR',
]);

/**
 * Fetches partitions by offset: one request at a time for each broker, with all partitions it leads that have nothing
 * fetched ahead. What a partition is sent is kept as bytes until it is asked for, so at most one answer a partition is
 * in memory beside the one at work.
 */
export class KafkaFetcher {
  readonly #cluster: KafkaCluster;
  readonly #options: FetcherOptions;
  readonly #streams = new Set<PartitionStream>();
  readonly #busy = new Set<number>();
  #failures = 0;
  #isDown = false;
  #closed = false;

  constructor(cluster: KafkaCluster, options: FetcherOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Starts fetching a partition from `offset` on. */
  async open(topic: string, partition: number, offset: number): Promise<PartitionStream> {
    await this.#cluster.addMultipleTargetTopics([topic]);
    const stream = new PartitionStream(topic, partition, offset, {
      wanted: () => this.#fetchWanted(),
      closed: (closed) => this.#streams.delete(closed),
    });
    this.#streams.add(stream);
    this.#fetchWanted();
    return stream;
  }

  /** Ends all streams: each gives `undefined` from now on. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.close();
  }

  #fetchWanted(): void {
    if (this.#closed) return;
    const byLeader = new Map<number, PartitionStream[]>();
    for (const stream of this.#streams) {
      if (!stream.isWanted) continue;
      const leader = this.#leaderOf(stream);
      if (this.#busy.has(leader)) continue;
      const streams = byLeader.get(leader);
      if (streams === undefined) byLeader.set(leader, [stream]);
      else streams.push(stream);
    }
    for (const [leader, streams] of byLeader) {
      this.#busy.add(leader);
      void this.#fetch(leader, shuffled(streams)).then(() => {
        this.#busy.delete(leader);
        this.#fetchWanted();
      });
    }
  }

  /** -1 as long as nobody leads it. */
  #leaderOf({ topic, partition }: PartitionStream): number {
    try {
      const partitions = this.#cluster.findTopicPartitionMetadata(topic);
      return partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
    } catch {
      return -1;
    }
  }

  async #fetch(leader: number, streams: readonly PartitionStream[]): Promise<void> {
    let stale = leader === -1;
    let failed = stale;
    let reason = stale ? 'no broker leads a partition at the moment' : '';
    try {
      await this.#cluster.refreshMetadataIfNecessary();
      if (!stale) {
        const broker = await this.#cluster.findBroker({ nodeId: leader });
        const hurried = [...this.#streams].some(({ isWanted }) => !isWanted);
        const maxWaitMs = hurried ? hurriedWaitMs : this.#options.maxWaitMs;
        const answers = await fetchFrom(broker, streams, { ...this.#options, maxWaitMs });
        for (const answer of answers) {
          const stream = streams.find((s) => s.topic === answer.topic && s.partition === answer.partition);
          if (stream === undefined || stream.isClosed) continue;
          const type = await this.#deliver(stream, answer);
          failed ||= type !== undefined;
          if (type !== undefined) reason = type;
          stale ||= type !== undefined && staleTypes.has(type);
        }
      }
    } catch (error) {
      failed = true;
      stale = true;
      reason = messageOf(error);
      this.#trouble('warn', 'a broker could not be read from and is tried again', {
        broker: leader,
        error: messageOf(error),
      });
    }
    this.#tellConnection(failed, reason);
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed && !this.#closed) await delay(backoff(this.#failures - 1, 50, 2_000));
    if (stale && !this.#closed) {
      await this.#cluster.refreshMetadata().catch((error: unknown) => {
        this.#trouble('warn', 'the cluster could not be asked who leads its partitions', {
          error: messageOf(error),
        });
      });
    }
  }

  #tellConnection(failed: boolean, reason: string): void {
    if (this.#closed || failed === this.#isDown) return;
    this.#isDown = failed;
    if (failed) this.#options.onConnection?.('down', reason);
    else this.#options.onConnection?.('up');
  }

  /** @returns the type of the error, if the answer is one */
  async #deliver(stream: PartitionStream, answer: FetchedPartition): Promise<string | undefined> {
    const { errorCode } = answer;
    if (errorCode === 0) {
      stream.deliver(answer);
      return undefined;
    }
    const { topic, partition } = stream;
    if (errorCode === outOfRange) {
      await this.#backInRange(stream);
      return undefined;
    }
    const error = kafkaErrors.createErrorFromCode(errorCode);
    this.#trouble('warn', 'a partition could not be read and is tried again', {
      topic,
      partition,
      errorCode,
      error: error.message,
    });
    return staleTypes.has(error.type) || errorCode > 70 ? 'NOT_LEADER_FOR_PARTITION' : error.type;
  }

  /** Retention, or a broker that lost its disk, has taken what was to be read next. */
  async #backInRange(stream: PartitionStream): Promise<void> {
    const { topic, partition, offset } = stream;
    const first = await this.#listed(topic, partition, true);
    const end = await this.#listed(topic, partition, false);
    const goOn = await this.#options.goOn?.({ topic, partition }, { start: first, end });
    const to = goOn ?? (offset < first ? first : end);
    this.#trouble('error', 'records that were to be read next are gone from the log', {
      topic,
      partition,
      offset,
      first,
      end,
      goesOnAt: to,
    });
    stream.reset(to);
  }

  async #listed(topic: string, partition: number, fromBeginning: boolean): Promise<number> {
    return listOffset(this.#cluster, topic, partition, fromBeginning);
  }

  #trouble(level: 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>>): void {
    if (!this.#closed) this.#options.log?.(level, message, fields);
  }
}

interface StreamOwner {
  /** The stream has nothing fetched ahead any more. */
  wanted(): void;
  closed(stream: PartitionStream): void;
}

/** One partition's records as they come; pull them one answer after the other. */
export class PartitionStream {
  readonly topic: string;
  readonly partition: number;
  readonly #owner: StreamOwner;
  /** What to fetch next. */
  #offset: number;
  #ahead: FetchedPartition | undefined;
  /** An answer is being decoded: where to fetch next is not known yet. */
  #decoding = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(topic: string, partition: number, offset: number, owner: StreamOwner) {
    this.topic = topic;
    this.partition = partition;
    this.#offset = offset;
    this.#owner = owner;
  }

  get offset(): number {
    return this.#offset;
  }

  get isWanted(): boolean {
    return this.#ahead === undefined && !this.#decoding && !this.#closed;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The next records, once there are some; `undefined` when the stream is closed. */
  async next(): Promise<Fetched | undefined> {
    for (;;) {
      while (this.#ahead === undefined && !this.#closed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const answer = this.#ahead;
      if (answer === undefined || this.#closed) return undefined;
      const from = this.#offset;
      this.#decoding = true;
      this.#ahead = undefined;
      const place = `${this.topic}/${this.partition}`;
      const { records, next } = await decodeRecords(answer.bytes, from, answer.abortedTransactions, place);
      this.#decoding = false;
      if (this.#offset === from) this.#offset = next;
      // Fetched while these are worked on.
      this.#owner.wanted();
      if (records.length > 0 || next > from) {
        return { records, next, lag: Math.max(0, answer.highWatermark - next) };
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#ahead = undefined;
    this.#owner.closed(this);
    this.#wakeUp();
  }

  deliver(answer: FetchedPartition): void {
    if (answer.bytes.length === 0) return;
    this.#ahead = answer;
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

/** A broker fills its answer in the order of the request: no partition shall always be last. */
function shuffled<T>(items: T[]): T[] {
  const shift = Math.floor(Math.random() * items.length);
  return [...items.slice(shift), ...items.slice(0, shift)];
}
