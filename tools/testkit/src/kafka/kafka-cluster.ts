import type { Admin } from 'kafkajs';
import { freePorts } from '../ports.ts';
import { waitFor } from '../wait-for.ts';
import type { BrokerProcess, BrokerRunner } from './broker-process.ts';
import { archivedClasses } from './kafka-classes.ts';
import { javaRunner } from './kafka-java.ts';
import { brokersSeenFrom, launchBroker, withTestAdmin } from './kafka-launch.ts';
import { clusterNodeProperties } from './kafka-properties.ts';
import { requireJars } from './kafka-runner.ts';
import { startTcpProxy, type TcpProxy, type Valve } from './tcp-proxy.ts';

/** A node of a {@link TestCluster}, with its possible faults. */
export interface TestNode {
  /** The node id of Kafka, from 1. */
  readonly id: number;
  /** The network between clients and this node; nodes bypass it among themselves. */
  readonly proxy: TcpProxy;
  /** SIGKILL: data not yet on disk or on another node is lost; the others notice after 3 s. */
  kill(): Promise<void>;
  /** Controlled shutdown: its partitions get new leaders first. */
  stop(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing responds, as in a long pause. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** The disk is full: no write succeeds, upon which Kafka ends by itself; after some seconds it is killed. */
  fillDisk(): Promise<void>;
  /** The folder with its partitions' folders. */
  readonly data: string;
  /** Restarts it with its data; resolves when it has rejoined the cluster. No effect while it runs. */
  start(): Promise<void>;
}

/** Real Kafka nodes, three by default, for tests of failures. */
export interface TestCluster extends AsyncDisposable {
  /** `host:port` of the proxies, one per node, for the clients under test. */
  readonly brokers: string[];
  /** `host:port` of the nodes themselves, for the test itself. */
  readonly direct: string[];
  readonly nodes: readonly TestNode[];
  /** The leader of a partition; waits until it is a running node. */
  leaderOf(topic: string, partition: number): Promise<TestNode>;
  /** The coordinator of a group or transactional id; any of that kind must have been used. */
  coordinatorOf(kind: 'group' | 'transaction', id: string): Promise<TestNode>;
  /** Resolves once every partition has all its replicas in sync. */
  healed(timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface StartClusterOptions {
  /** Default 3. */
  readonly nodes?: number;
  /** Further lines of each node's `server.properties`. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Intercepts traffic between clients and nodes. */
  readonly valve?: Valve;
}

/**
 * Starts a cluster of KRaft nodes, each broker and controller, which takes some seconds. Every topic has a replica on each
 * node by default, and a write with acks=all needs all but one of them (`min.insync.replicas`). One node of
 * three can be killed, frozen or isolated without an outage; with two, writes and the controller stop.
 *
 * ```ts
 * await using cluster = await startKafkaCluster();
 * const worker = spawnCli(['worker', '--brokers', cluster.brokers.join(',')]);
 * const leader = await cluster.leaderOf('loopwatch.events', 0);
 * await leader.kill();             // or leader.pause(), or leader.proxy.cut()
 * await leader.start();
 * await cluster.healed();
 * const verdicts = await readTopic(cluster.direct, 'loopwatch.verdicts');
 * ```
 *
 * @throws Error with the command that installs what is missing, or with the last output of a node.
 */
export async function startKafkaCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { nodes: count = 3, properties = {}, valve } = options;
  const jars = await requireJars();
  const classes = await archivedClasses(jars);
  const free = await freePorts(count * 3);
  const [clients, internals, controllers] = [0, 1, 2].map((part) =>
    free.slice(part * count, (part + 1) * count),
  ) as [number[], number[], number[]];
  const proxies = await Promise.all(clients.map((client) => startTcpProxy(`127.0.0.1:${client}`, valve)));
  const ports = proxies.map(({ address }, index) => ({
    client: clients[index] as number,
    internal: internals[index] as number,
    controller: controllers[index] as number,
    advertised: address,
  }));
  const runners = await Promise.all(
    ports.map(({ internal }, index) =>
      javaRunner(jars, {
        address: `127.0.0.1:${internal}`,
        quickStart: true,
        classes,
        properties: { ...clusterNodeProperties(ports, index), ...properties },
      }),
    ),
  );
  const nodes = runners.map((runner, index) => new Node(index + 1, runner, proxies[index] as TcpProxy));
  const cluster = new Cluster(nodes);
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await waitFor(async () => (await brokersSeenFrom(runners[0]?.address ?? '')).length === count, {
      describe: `${count} nodes to know each other`,
    });
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** A node with a full disk is killed after this time, if it did not end by itself. */
const FULL_DISK_MS = 10_000;

class Node implements TestNode {
  readonly id: number;
  readonly proxy: TcpProxy;
  readonly #runner: BrokerRunner;
  #process: BrokerProcess | undefined;
  #paused = false;

  constructor(id: number, runner: BrokerRunner, proxy: TcpProxy) {
    this.id = id;
    this.#runner = runner;
    this.proxy = proxy;
  }

  get address(): string {
    return this.#runner.address;
  }

  get runs(): boolean {
    return this.#process !== undefined && !this.#paused;
  }

  async start(): Promise<void> {
    this.#process ??= await launchBroker(this.#runner, async (address) =>
      (await brokersSeenFrom(address)).includes(this.id),
    );
  }

  async kill(): Promise<void> {
    await this.#end().kill();
  }

  async stop(): Promise<void> {
    await this.#end().stop();
  }

  async fillDisk(): Promise<void> {
    const process = this.#end();
    await process.refuseWrites?.();
    const timer = setTimeout(() => void process.kill(), FULL_DISK_MS);
    await process.exited;
    clearTimeout(timer);
  }

  get data(): string {
    const { data } = this.#runner;
    if (data === undefined) throw new Error(`the data of node ${this.id} is not on this machine`);
    return data;
  }

  pause(): void {
    void this.#running().suspend();
    this.#paused = true;
  }

  resume(): void {
    void this.#running().resume();
    this.#paused = false;
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
    await this.proxy.close();
    await this.#runner.dispose();
  }

  #end(): BrokerProcess {
    const process = this.#running();
    this.#process = undefined;
    this.#paused = false;
    return process;
  }

  #running(): BrokerProcess {
    if (this.#process === undefined) throw new Error(`node ${this.id} is stopped; call start() first`);
    return this.#process;
  }
}

class Cluster implements TestCluster {
  readonly nodes: readonly Node[];

  constructor(nodes: readonly Node[]) {
    this.nodes = nodes;
  }

  get brokers(): string[] {
    return this.nodes.map(({ proxy }) => proxy.address);
  }

  get direct(): string[] {
    return this.nodes.map(({ address }) => address);
  }

  async leaderOf(topic: string, partition: number): Promise<TestNode> {
    return waitFor(
      async () => {
        const partitions = await this.#partitionsOf([topic]);
        const leader = partitions?.find(({ partitionId }) => partitionId === partition)?.leader;
        return this.nodes.find(({ id, runs }) => id === leader && runs);
      },
      { describe: `a leader of ${topic}/${partition}` },
    );
  }

  async coordinatorOf(kind: 'group' | 'transaction', id: string): Promise<TestNode> {
    const topic = kind === 'group' ? '__consumer_offsets' : '__transaction_state';
    const partitions = await waitFor(() => this.#partitionsOf([topic]), { describe: topic });
    return this.leaderOf(topic, javaHash(id) % partitions.length);
  }

  async healed(timeoutMs = 30_000): Promise<void> {
    const isHealed = async () => {
      const topics = await this.#ask((admin) => admin.listTopics());
      const partitions = topics && (await this.#partitionsOf(topics));
      return partitions?.every(({ isr, replicas }) => isr.length === replicas.length);
    };
    await waitFor(isHealed, { timeoutMs, describe: 'all replicas to be in sync' });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.dispose()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #partitionsOf(topics: string[]) {
    if (topics.length === 0) return [];
    const metadata = await this.#ask((admin) => admin.fetchTopicMetadata({ topics }));
    return metadata?.topics.flatMap(({ partitions }) => partitions);
  }

  /** The answer of a running node; undefined while the cluster has none. */
  async #ask<T>(question: (admin: Admin) => Promise<T>): Promise<T | undefined> {
    const running = this.nodes.filter(({ runs }) => runs).map(({ address }) => address);
    return withTestAdmin(running, question).catch(() => undefined);
  }
}

/** The partition of an id in Kafka's internal topics: Java's `hashCode` without the sign. */
function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return hash & 0x7fffffff;
}
