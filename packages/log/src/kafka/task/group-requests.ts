import type { KafkaBroker, KafkaCluster } from '../internals/cluster.ts';
import {
  createErrorFromCode,
  encodeHeartbeat,
  encodeJoinGroup,
  encodeSyncGroup,
  type GroupRequest,
} from '../internals/kafkajs.ts';
import type { GroupMember } from './ownership.ts';

/** A broker that coordinates the group of a consumer. */
interface GroupCoordinator extends KafkaBroker {
  disconnect(): Promise<void>;
  heartbeat(request: object): Promise<unknown>;
  syncGroup(request: GroupMember): Promise<unknown>;
}

export interface GroupRequestOptions {
  /** Identifies the member across restarts of its process (KIP-345); `undefined`: nothing does. */
  readonly instanceId: string | undefined;
  /** Asked before each heartbeat: whether the member has to join again, because its claim has changed. */
  readonly mustRejoin: () => boolean;
  /** Time between heartbeats. */
  readonly heartbeatMs: number;
  /** Called when the coordinator has confirmed a heartbeat. */
  readonly onHeartbeat: () => void;
  /** Called before the member asks for its partitions in a generation of the group. */
  readonly onSync: (member: GroupMember) => void;
}

const REBALANCE_IN_PROGRESS = 27;
const MEMBER_ID_REQUIRED = 'KafkaJSMemberIdRequired';

/**
 * Changes what the consumer of this cluster sends to the coordinator of its group: kafkajs encodes the instance id of static
 * members, but has no setting for it, and no way to join again.
 */
export function changeGroupRequests(cluster: KafkaCluster, options: GroupRequestOptions): void {
  const beat = heartbeats(options);
  const find = cluster.findGroupCoordinator.bind(cluster);
  cluster.findGroupCoordinator = async (which) =>
    changed((await find(which)) as GroupCoordinator, options, beat);
}

type Send = (request: object) => Promise<unknown>;

/** Sends only the heartbeats that are due by the monotonic clock. */
function heartbeats({ mustRejoin, heartbeatMs, onHeartbeat }: GroupRequestOptions): (send: Send) => Send {
  let dueAt = 0;
  return (send) => async (request) => {
    // To kafkajs, the group is rebalancing.
    if (mustRejoin()) throw createErrorFromCode(REBALANCE_IN_PROGRESS);
    if (performance.now() < dueAt) return;
    await send(request);
    dueAt = performance.now() + heartbeatMs;
    onHeartbeat();
  };
}

function changed(
  broker: GroupCoordinator,
  { instanceId, onSync }: GroupRequestOptions,
  beat: (send: Send) => Send,
): GroupCoordinator {
  const synced = (sendSync: (request: GroupMember) => Promise<unknown>) => (request: GroupMember) => {
    onSync({ memberId: request.memberId, generationId: request.generationId });
    return sendSync(request);
  };
  const asBefore = {
    heartbeat: beat((request) => broker.heartbeat(request)),
    syncGroup: synced((request) => broker.syncGroup(request)),
  };
  if (instanceId === undefined) return Object.assign(Object.create(broker) as GroupCoordinator, asBefore);
  const send = async (encode: GroupRequest, request: object): Promise<unknown> => {
    try {
      return await broker.connectionPool.send(encode({ ...request, groupInstanceId: instanceId }));
    } catch (error) {
      if (error instanceof Error && error.name === 'KafkaJSConnectionClosedError') await broker.disconnect();
      throw error;
    }
  };
  const join = (request: object) => send(encodeJoinGroup, { protocolType: 'consumer', ...request });
  const methods = {
    joinGroup: (request: object) =>
      join(request).catch((error: unknown) => {
        if (!isMemberIdRequired(error)) throw error;
        return join({ ...request, memberId: error.memberId });
      }),
    syncGroup: synced((request) => send(encodeSyncGroup, request)),
    heartbeat: beat((request) => send(encodeHeartbeat, request)),
  };
  return Object.assign(Object.create(broker) as GroupCoordinator, methods);
}

function isMemberIdRequired(error: unknown): error is Error & { memberId: string } {
  return error instanceof Error && error.name === MEMBER_ID_REQUIRED;
}

/** Whether another process has joined with the same instance id. */
export function isInstanceFenced(error: Error): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ('type' in cause && cause.type === 'FENCED_INSTANCE_ID') return true;
  return false;
}
