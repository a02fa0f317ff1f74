import { backoff, messageOf } from '@loopwatch/contract';
import { delay, type LogFunction } from '@loopwatch/platform';
import { LogError } from '../../port/errors.ts';
import type { FetchTimes, TopicPartition } from '../../port/task.ts';
import type { Bounds } from '../../port/topic-reader.ts';
import type { KafkaCluster } from '../internals/cluster.ts';
import { createErrorFromCode } from '../internals/kafkajs.ts';
import { topicIdOf } from '../internals/topic-id.ts';
import { type FetchedPartition, type FetchLimits, fetchFrom } from './fetch-request.ts';
import { listBounds } from './offsets.ts';
import { PartitionStream } from './partition-stream.ts';

export interface FetcherOptions extends FetchLimits {
  readonly log: LogFunction | undefined;
  /** Called when fetching starts to fail, and when it works again. */
  readonly onConnection?: (state: 'up' | 'down', reason?: string) => void;
  /**
   * Where to continue when the offset is out of range, or the topic was created again. Default: at the nearest bound; streams of a
   * topic that was created again fail.
   */
  readonly resumeAt?: (topicPartition: TopicPartition, bounds: Bounds) => Promise<number>;
}

/** How long a broker may hold a fetch while another partition still has undelivered bytes, ms. */
const HURRIED_WAIT_MS = 5;
const MIB = 1024 * 1024;
/** Bytes fetched ahead for all partitions together; each partition gets at least one mebibyte. */
const AHEAD_BYTES = 64 * MIB;
const OUT_OF_RANGE = 1;
/** A topic may be deleted and created again in this time, ms. */
const UNSEEN_MS = 500;
/** Errors that require refreshed metadata to find the new leader. */
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
 * Fetches partitions by offset: one request per broker at a time, for all partitions it leads that have little fetched ahead.
 * Fetched bytes are decoded only when they are consumed.
 */
export class KafkaFetcher {
  readonly #cluster: KafkaCluster;
  readonly #options: FetcherOptions;
  readonly #streams = new Set<PartitionStream>();
  readonly #busy = new Set<number>();
  /** Ids of topics; none while a topic may have been created again. */
  readonly #topicIds = new Map<string, string | undefined>();
  /** Topics that may have been created again: a fetch failed, or none was under way for a while. */
  readonly #suspects = new Set<string>();
  /** When a fetch of each topic was answered last, epoch ms. */
  readonly #answeredAt = new Map<string, number>();
  #failures = 0;
  #isDown = false;
  #closed = false;

  constructor(cluster: KafkaCluster, options: FetcherOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /**
   * Starts fetching a partition at `offset`.
   *
   * @param topicId of the topic that has this offset, whose id is asked for again once it is fetched; the present one if missing
   */
  async open(topic: string, partition: number, offset: number, topicId?: string): Promise<PartitionStream> {
    await this.#cluster.addMultipleTargetTopics([topic]);
    if (!this.#topicIds.has(topic))
      this.#topicIds.set(topic, topicId ?? (await topicIdOf(this.#cluster, { topic, partition })));
    if (topicId !== undefined) this.#suspects.add(topic);
    const stream = new PartitionStream(topic, partition, offset, {
      wanted: () => this.#fetchWanted(),
      closed: (closed) => this.#streams.delete(closed),
      maxBytes: () => this.#maxBytesPerPartition,
    });
    this.#streams.add(stream);
    this.#fetchWanted();
    return stream;
  }

  /** Ends all streams: `next` then returns `undefined`. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.close();
  }

  get #maxBytesPerPartition(): number {
    const share = Math.max(MIB, Math.floor(AHEAD_BYTES / this.#streams.size));
    return Math.min(this.#options.maxBytesPerPartition, share);
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
      void this.#fetch(leader, rotated(streams)).then(() => {
        this.#busy.delete(leader);
        this.#fetchWanted();
      });
    }
  }

  /** -1 while the partition has no leader. */
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
        const maxWaitMs = hurried ? HURRIED_WAIT_MS : this.#options.maxWaitMs;
        const limits = { ...this.#options, maxWaitMs, maxBytesPerPartition: this.#maxBytesPerPartition };
        const asked = streams.map((stream) => ({ stream, offset: stream.offset }));
        const startedAt = Date.now();
        const answers = await fetchFrom(broker, streams, limits);
        const times = { startedAt, endedAt: Date.now() };
        for (const answer of answers) {
          const { topic, partition } = answer;
          const found = asked.find(({ stream: s }) => s.topic === topic && s.partition === partition);
          // The stream may have been closed, or the new leader may have answered first.
          if (found === undefined || found.stream.isClosed || found.stream.offset !== found.offset) continue;
          const { stream } = found;
          const type = await this.#deliver(stream, answer, times);
          failed ||= type !== undefined;
          if (type !== undefined) reason = type;
          stale ||= type !== undefined && staleTypes.has(type);
        }
      }
    } catch (error) {
      for (const { topic } of streams) this.#suspects.add(topic);
      failed = true;
      stale = true;
      reason = messageOf(error);
      this.#log('warn', 'Fetch failed; retrying', {
        broker: leader,
        error: messageOf(error),
      });
    }
    this.#reportConnection(failed, reason);
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed && !this.#closed) await delay(backoff(this.#failures - 1, 50, 2_000));
    if (stale && !this.#closed) {
      await this.#cluster.refreshMetadata().catch((error: unknown) => {
        this.#log('warn', 'Refreshing the cluster metadata failed; retrying', {
          error: messageOf(error),
        });
      });
    }
  }

  #reportConnection(failed: boolean, reason: string): void {
    if (this.#closed || failed === this.#isDown) return;
    this.#isDown = failed;
    if (failed) this.#options.onConnection?.('down', reason);
    else this.#options.onConnection?.('up');
  }

  /** @returns the error type, if the answer is an error */
  async #deliver(
    stream: PartitionStream,
    answer: FetchedPartition,
    times: FetchTimes,
  ): Promise<string | undefined> {
    const { errorCode } = answer;
    const { topic, partition } = stream;
    const isKnown = errorCode === 0 || errorCode === OUT_OF_RANGE;
    const pause = times.startedAt - (this.#answeredAt.get(topic) ?? times.startedAt);
    if (errorCode !== 0 || pause > UNSEEN_MS) this.#suspects.add(topic);
    if (isKnown && this.#suspects.has(topic) && (await this.#restartIfRecreated(stream))) return undefined;
    if (isKnown) this.#answeredAt.set(topic, times.endedAt);
    if (errorCode === 0) {
      stream.deliver(answer, times);
      return undefined;
    }
    if (errorCode === OUT_OF_RANGE) {
      await this.#resetOffset(stream);
      return undefined;
    }
    const error = createErrorFromCode(errorCode);
    this.#log('warn', 'Fetching a partition failed; retrying', {
      topic,
      partition,
      errorCode,
      error: error.message,
    });
    return staleTypes.has(error.type) || errorCode > 70 ? 'NOT_LEADER_FOR_PARTITION' : error.type;
  }

  /**
   * Offsets of a topic that was deleted and created again mean other records.
   *
   * @returns whether it was; its streams then continue where they have to, or fail
   */
  async #restartIfRecreated({ topic, partition }: PartitionStream): Promise<boolean> {
    const before = this.#topicIds.get(topic);
    const id = await topicIdOf(this.#cluster, { topic, partition });
    this.#suspects.delete(topic);
    if (before === undefined || id === undefined || id === before) return false;
    this.#topicIds.set(topic, id);
    const message = `The topic ${topic} was deleted and created again.`;
    this.#log('warn', message, { topic });
    for (const stream of [...this.#streams].filter((one) => one.topic === topic)) {
      if (this.#options.resumeAt === undefined) stream.fail(new LogError('request_failed', message));
      else {
        const bounds = { ...(await listBounds(this.#cluster, stream)), topicId: id };
        stream.restart(await this.#options.resumeAt({ topic, partition: stream.partition }, bounds));
      }
    }
    return true;
  }

  /** Handles an offset out of range: retention deleted the next records, or a broker lost its disk. */
  async #resetOffset(stream: PartitionStream): Promise<void> {
    const { topic, partition, offset } = stream;
    const { start, end } = await listBounds(this.#cluster, stream);
    const bounds = { start, end, topicId: this.#topicIds.get(topic) };
    const resumeAt = await this.#options.resumeAt?.({ topic, partition }, bounds);
    const to = resumeAt ?? (offset < start ? start : end);
    this.#log('error', 'Offset out of range: the next records were deleted from the log', {
      topic,
      partition,
      offset,
      first: start,
      end,
      resumedAt: to,
    });
    stream.reset(to);
  }

  #log(level: 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>>): void {
    if (!this.#closed) this.#options.log?.(level, message, fields);
  }
}

/** Brokers fill a response in the order of the request; rotating it prevents a partition from always being last. */
function rotated<T>(items: T[]): T[] {
  const shift = Math.floor(Math.random() * items.length);
  return [...items.slice(shift), ...items.slice(0, shift)];
}
