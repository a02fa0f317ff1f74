/** The ports that one node listens on. */
export interface NodePorts {
  readonly client: number;
  readonly controller: number;
}

/** Common to all test brokers: no automatic topics and no delay before rebalancing. */
export const commonProperties = {
  'process.roles': 'broker,controller',
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'group.initial.rebalance.delay.ms': '0',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.num.partitions': '4',
  // No record every half second that nothing has changed: it took half of the CPU time of an idle broker.
  'metadata.max.idle.interval.ms': '0',
} as const;

/** A single node, broker and controller in one, in plain text. */
export function singleNodeProperties({ client, controller }: NodePorts): Readonly<Record<string, string>> {
  return {
    ...commonProperties,
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${client},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${client}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
  };
}

/** Ports of a cluster node: clients connect through a proxy, nodes and tests directly. */
export interface ClusterNodePorts extends NodePorts {
  readonly internal: number;
  /** The advertised `host:port`. */
  readonly advertised: string;
}

/** Node number `index` of a cluster in which each is broker and controller. */
export function clusterNodeProperties(
  nodes: readonly ClusterNodePorts[],
  index: number,
): Readonly<Record<string, string>> {
  const { client, internal, controller, advertised } = nodes[index] as ClusterNodePorts;
  const voters = nodes.map((node, other) => `${other + 1}@127.0.0.1:${node.controller}`);
  const copies = String(nodes.length);
  const inSync = String(Math.max(1, nodes.length - 1));
  return {
    ...commonProperties,
    'node.id': String(index + 1),
    'controller.quorum.voters': voters.join(','),
    listeners: `CLIENT://127.0.0.1:${client},INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `CLIENT://${advertised},INTERNAL://127.0.0.1:${internal}`,
    'listener.security.protocol.map': 'CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    'default.replication.factor': copies,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': inSync,
    // A lost node is detected after three seconds instead of nine, to keep failure tests short.
    'broker.heartbeat.interval.ms': '500',
    'broker.session.timeout.ms': '3000',
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': '1000',
  };
}
