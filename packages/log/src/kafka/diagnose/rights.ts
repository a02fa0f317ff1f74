import { LogError } from '../../port/errors.ts';
import { withAdmin } from '../client/client.ts';
import { isTransient, lacksRight } from '../client/errors.ts';
import type { KafkaOptions } from '../client/options.ts';
import { createKafkaCluster, type KafkaBroker, type KafkaCluster } from '../internals/cluster.ts';
import { describeGroup, describeTopics } from './rights-requests.ts';

/** An operation that an ACL can allow a Kafka user. */
export interface KafkaRight {
  readonly resource: 'topic' | 'group' | 'transactional-id';
  readonly name: string;
  /** Whether `name` is a prefix. */
  readonly prefix?: boolean;
  readonly operation: 'Read' | 'Write';
}

/** Kafka's operation codes. */
const operations = { Read: 3, Write: 4 } as const;
const TRANSACTION_COORDINATOR = 1;

/**
 * Returns which of these rights the user lacks, without using any of them. A right that cannot be checked counts as granted:
 * the topic does not exist, the broker is older than Kafka 2.3, or the cluster is unavailable.
 *
 * @param doing What the rights are for, as in "Cannot <doing>".
 * @throws LogError as {@link withAdmin}
 */
export function missingRights<R extends KafkaRight>(
  options: KafkaOptions,
  doing: string,
  rights: readonly R[],
): Promise<R[]> {
  return withAdmin(options, doing, async () => {
    const cluster = createKafkaCluster(options);
    try {
      await cluster.connect();
      await cluster.refreshMetadata();
      const broker = await cluster.findControllerBroker();
      const checks = await Promise.all([
        topicRights(broker, rights),
        groupRights(cluster, broker, rights),
        transactionRights(broker, rights),
      ]);
      return rights.filter((right) => checks.some((isGranted) => isGranted(right) === false));
    } catch (error) {
      if (isTransient(error)) return [];
      throw error;
    } finally {
      await cluster.disconnect().catch(() => undefined);
    }
  });
}

/**
 * Checks rights before they are needed. Later, a missing right may look like a group without a coordinator, or show up only
 * at the first verdict.
 *
 * @param doing As in "Cannot <doing>".
 * @throws LogError `not_authorized` naming all missing rights and the commands that grant them; others as {@link withAdmin}
 */
export async function requireRights(
  options: KafkaOptions,
  doing: string,
  rights: readonly KafkaRight[],
): Promise<void> {
  const missing = await missingRights(options, doing, rights);
  if (missing.length === 0) return;
  const names = missing.map(
    ({ resource, name, prefix, operation }) =>
      `${operation} on ${resource} ${name}${prefix === true ? '*' : ''}`,
  );
  const commands = missing.map((right) => grantCommand(options, right));
  throw new LogError(
    'not_authorized',
    `Cannot ${doing} on ${options.brokers.join(', ')}: this Kafka user lacks the permission ${names.join(', ')}. Grant it with: ${commands.join(' && ')}`,
  );
}

/** The command with which a cluster administrator grants a right. */
export function grantCommand({ brokers, sasl }: KafkaOptions, right: KafkaRight): string {
  const { resource, name, prefix = false, operation } = right;
  // The principal of a token is known to the brokers only.
  const principal =
    sasl === undefined || sasl.mechanism === 'oauthbearer' ? 'User:…' : `User:${sasl.username}`;
  const pattern = prefix ? ' --resource-pattern-type prefixed' : '';
  return `kafka-acls.sh --bootstrap-server ${brokers.join(',')} --add --allow-principal ${principal} --operation ${operation} --${resource} ${name}${pattern}`;
}

/** Returns whether a right is granted; undefined if it is unknown, or on another kind of resource. */
type RightCheck = (right: KafkaRight) => boolean | undefined;

function namesOf(rights: readonly KafkaRight[], resource: KafkaRight['resource']): string[] {
  return [...new Set(rights.filter((right) => right.resource === resource).map(({ name }) => name))];
}

async function topicRights(broker: KafkaBroker, rights: readonly KafkaRight[]): Promise<RightCheck> {
  const names = namesOf(rights, 'topic');
  const allowed = new Map(names.length === 0 ? [] : await describeTopics(broker, names));
  return ({ resource, name, operation }) =>
    resource === 'topic' ? allowed.get(name)?.has(operations[operation]) : undefined;
}

async function groupRights(
  cluster: KafkaCluster,
  broker: KafkaBroker,
  rights: readonly KafkaRight[],
): Promise<RightCheck> {
  const allowed = new Map<string, ReadonlySet<number> | undefined>();
  for (const groupId of namesOf(rights, 'group')) {
    const hidden = await isHidden(broker, groupId, 0);
    if (hidden === true) allowed.set(groupId, new Set());
    else if (hidden === false) {
      allowed.set(groupId, await describeGroup(await cluster.findGroupCoordinator({ groupId }), groupId));
    }
  }
  return ({ resource, name, operation }) =>
    resource === 'group' ? allowed.get(name)?.has(operations[operation]) : undefined;
}

/** No request shows Write on a transactional id, but Write includes the right to look up the coordinator. */
async function transactionRights(broker: KafkaBroker, rights: readonly KafkaRight[]): Promise<RightCheck> {
  const hidden = new Set<string>();
  for (const id of namesOf(rights, 'transactional-id')) {
    if ((await isHidden(broker, id, TRANSACTION_COORDINATOR)) === true) hidden.add(id);
  }
  return ({ resource, name }) => (resource === 'transactional-id' ? !hidden.has(name) : undefined);
}

/** Whether this user may not see a group or transactional id; undefined while the cluster cannot answer. */
async function isHidden(
  broker: KafkaBroker,
  groupId: string,
  coordinatorType: number,
): Promise<boolean | undefined> {
  try {
    await broker.findGroupCoordinator({ groupId, coordinatorType });
    return false;
  } catch (error) {
    return lacksRight(error) ? true : undefined;
  }
}
