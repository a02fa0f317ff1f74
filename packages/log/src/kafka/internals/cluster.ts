import type { Kafka, Producer, ProducerConfig } from 'kafkajs';
import { createKafkaClient, type KafkaOptions } from '../client/client.ts';

/** A request that kafkajs sends on a broker's connection, with the decoder of its response. */
export interface ProtocolCall<T> {
  readonly request: object;
  readonly response: {
    decode(payload: Buffer): Promise<T>;
    parse(data: T): Promise<T>;
  };
  /** Response timeout in milliseconds. */
  readonly requestTimeout?: number;
}

/** A connected broker. */
export interface KafkaBroker {
  readonly versions: Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    send<T>(call: ProtocolCall<T>): Promise<T>;
  };
  connect(): Promise<void>;
  findGroupCoordinator(request: { groupId: string; coordinatorType: number }): Promise<unknown>;
  offsetFetch(request: { groupId: string; topics: readonly object[] }): Promise<OffsetFetchAnswer>;
  offsetCommit(request: {
    groupId: string;
    memberId: string;
    groupGenerationId: number;
    topics: readonly object[];
  }): Promise<unknown>;
}

export interface OffsetFetchAnswer {
  readonly responses: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly offset: string;
      readonly metadata: string | null;
    }[];
  }[];
}

/** Partitions by topic, as requests of a transaction name them. */
export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** The request that adds partitions to a transaction. */
export interface AddPartitions {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly topics: readonly TopicPartitions[];
}

export interface AddPartitionsAnswer {
  readonly errors: readonly {
    readonly topic: string;
    readonly partitionErrors: readonly { readonly partition: number }[];
  }[];
}

/** The shape of both the request that commits offsets in a transaction, and its response. */
export interface OffsetCommit {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number }[];
  }[];
}

/** The broker that coordinates a transaction or a consumer group. */
export interface Coordinator extends KafkaBroker {
  isConnected(): boolean;
  addPartitionsToTxn(request: AddPartitions): Promise<AddPartitionsAnswer>;
  addOffsetsToTxn(request: object): Promise<unknown>;
  txnOffsetCommit(request: OffsetCommit): Promise<OffsetCommit>;
  endTxn(request: object): Promise<unknown>;
}

/** kafkajs' internal cluster object: only the members used here. */
export interface KafkaCluster {
  /** Decides whether end offsets are those of committed records. */
  isolationLevel: number | undefined;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  findTopicPartitionMetadata(
    topic: string,
  ): readonly { readonly partitionId: number; readonly leader: number }[];
  findControllerBroker(): Promise<KafkaBroker>;
  findBroker(which: { nodeId: number | string }): Promise<KafkaBroker>;
  findGroupCoordinator(which: { groupId: string; coordinatorType?: number }): Promise<KafkaBroker>;
  removeBroker(which: { host: string; port: number }): void;
  fetchTopicsOffset(
    topics: readonly {
      topic: string;
      partitions: readonly { partition: number }[];
      fromBeginning?: boolean;
    }[],
  ): Promise<readonly { topic: string; partitions: readonly { partition: number; offset: string }[] }[]>;
}

type CreateCluster = (options: object) => KafkaCluster;

const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
/** How long a cluster uses its metadata, in milliseconds; new partitions are used after this time at the latest. */
const METADATA_MAX_AGE = 60_000;

/**
 * The connections of a kafkajs client without its consumer. kafkajs reads partitions only as a group member and from one
 * position each, while recovery reads ranges by offset. The factory is a private symbol of kafkajs; kafkajs has had no
 * release for years, and a test fails if one ever moves it.
 */
export function createKafkaCluster(options: KafkaOptions): KafkaCluster {
  const client = createKafkaClient(options);
  return clusterMaker(client)({
    metadataMaxAge: METADATA_MAX_AGE,
    allowAutoTopicCreation: false,
    isolationLevel: READ_COMMITTED,
  });
}

/** A producer and its cluster. */
export interface Connection {
  readonly producer: Producer;
  readonly cluster: KafkaCluster;
}

/** The producer's cluster lists end offsets read uncommitted. */
export function createProducer(client: Kafka, config: ProducerConfig): Connection {
  const clusters: KafkaCluster[] = [];
  onClusters(client, (cluster) => clusters.push(cluster));
  const producer = client.producer({ ...config, metadataMaxAge: METADATA_MAX_AGE });
  const [cluster] = clusters;
  if (cluster === undefined) throw missingCluster();
  cluster.isolationLevel = READ_UNCOMMITTED;
  return { producer, cluster };
}

/** Calls `change` with each cluster that the client creates afterwards for a producer, a consumer or an admin. */
export function onClusters(client: Kafka, change: (cluster: KafkaCluster) => void): void {
  const make = clusterMaker(client);
  Reflect.set(client, makerSymbol(client), (options: object) => {
    const cluster = make(options);
    change(cluster);
    return cluster;
  });
}

function clusterMaker(client: Kafka): CreateCluster {
  return Reflect.get(client, makerSymbol(client)) as CreateCluster;
}

function makerSymbol(client: Kafka): symbol {
  const symbol = Object.getOwnPropertySymbols(client).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined || typeof Reflect.get(client, symbol) !== 'function') throw missingCluster();
  return symbol;
}

function missingCluster(): Error {
  return new Error('This version of kafkajs does not expose its cluster; 2.2.4 is required.');
}
