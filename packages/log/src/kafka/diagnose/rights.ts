import { LogError } from '../../port/errors.ts';
import { withAdmin } from '../client/client.ts';
import { isTransient, lacksRight } from '../client/errors.ts';
import type { KafkaOptions } from '../client/options.ts';
import { createKafkaCluster, type KafkaBroker, type KafkaCluster } from '../internals/cluster.ts';
import { describeGroup, describeTopics } from './rights-requests.ts';

/** Something a Kafka user may be allowed to do, as the ACLs call it. */
export interface KafkaRight {
  readonly resource: 'topic' | 'group' | 'transactional-id';
  readonly name: string;
  /** The name is the beginning of many. */
  readonly prefix?: boolean;
  readonly operation: 'Read' | 'Write';
}

/** Kafka's numbers of the operations. */
const operations = { Read: 3, Write: 4 } as const;
const transactionCoordinator = 1;

/**
 * Which of these rights the user lacks, found without using any of them. What cannot be found out counts as given: a
 * topic that does not exist, a broker older than Kafka 2.3, a cluster that is in trouble.
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
      const isGiven = await Promise.all([
        topicRights(broker, rights),
        groupRights(cluster, broker, rights),
        transactionRights(broker, rights),
      ]);
      return rights.filter((right) => isGiven.some((given) => given(right) === false));
    } catch (error) {
      if (isTransient(error)) return [];
      throw error;
    } finally {
      await cluster.disconnect().catch(() => undefined);
    }
  });
}

/**
 * Checks rights before they are needed: later, a missing one may look like a group without a coordinator, or come up
 * with the first verdict only.
 *
 * @param doing As in "Cannot <doing>".
 * @throws LogError `not_authorized` naming all that are missing, with the commands that give them; else as
 *   {@link withAdmin}
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
    `Cannot ${doing} on ${options.brokers.join(', ')}: this Kafka user lacks the right ${names.join(', ')}. Grant it with: ${commands.join(' && ')}`,
  );
}

/** The command with which whoever runs the cluster gives a right. */
export function grantCommand({ brokers, sasl }: KafkaOptions, right: KafkaRight): string {
  const { resource, name, prefix = false, operation } = right;
  const principal = sasl === undefined ? 'User:…' : `User:${sasl.username}`;
  const pattern = prefix ? ' --resource-pattern-type prefixed' : '';
  return `kafka-acls.sh --bootstrap-server ${brokers.join(',')} --add --allow-principal ${principal} --operation ${operation} --${resource} ${name}${pattern}`;
}

/** Whether a right is given; undefined for one that is not known, or of another kind. */
type Given = (right: KafkaRight) => boolean | undefined;

function namesOf(rights: readonly KafkaRight[], resource: KafkaRight['resource']): string[] {
  return [...new Set(rights.filter((right) => right.resource === resource).map(({ name }) => name))];
}

async function topicRights(broker: KafkaBroker, rights: readonly KafkaRight[]): Promise<Given> {
  const names = namesOf(rights, 'topic');
  const allowed = new Map(names.length === 0 ? [] : await describeTopics(broker, names));
  return ({ resource, name, operation }) =>
    resource === 'topic' ? allowed.get(name)?.has(operations[operation]) : undefined;
}

async function groupRights(
  cluster: KafkaCluster,
  broker: KafkaBroker,
  rights: readonly KafkaRight[],
): Promise<Given> {
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

/** There is no question that tells of Write; but whoever may write may ask for the coordinator. */
async function transactionRights(broker: KafkaBroker, rights: readonly KafkaRight[]): Promise<Given> {
  const hidden = new Set<string>();
  for (const id of namesOf(rights, 'transactional-id')) {
    if ((await isHidden(broker, id, transactionCoordinator)) === true) hidden.add(id);
  }
  return ({ resource, name }) => (resource === 'transactional-id' ? !hidden.has(name) : undefined);
}

/** Whether a group or transactional id is not for this user's eyes; undefined while the cluster cannot say. */
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
